package figures

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// ImagePanel is a field on a rectangular grid, such as the state of 20 x 20 nodes at one time.
type ImagePanel struct {
	Title     string
	Values    [][]float64 // [rows][columns], the first row on top; NaN is missing and drawn grey
	Diverging bool        // signed values, such as a difference: neutral at 0, with equal ranges on both sides
}

// Limits are the ends of the two colour scales of Images; use the same for all frames of a Slider. Values beyond them
// have the colour of the end.
type Limits struct {
	Low, High float64 // ends of the sequential scale; both 0 takes them from the panels
	Swing     float64 // the diverging scale is -Swing to Swing; 0 takes the largest magnitude in the panels
}

// LimitsOf returns limits that hold all values of all frames.
func LimitsOf(frames ...[]ImagePanel) Limits {
	values := map[bool][][]float64{}
	for _, p := range slices.Concat(frames...) {
		values[p.Diverging] = append(values[p.Diverging], p.Values...)
	}
	limits := Limits{Swing: magnitude(values[true])}
	if s, ok := fit(false, 0, values[false]...); ok {
		limits.Low, limits.High = s.min, s.max
	}
	return limits
}

// Images draws fields of one shape side by side. Panels that are not diverging share a sequential colour scale,
// diverging panels a diverging scale. Each scale has its bar at the right of its last panel; axes.Colour labels both.
func Images(axes Axes, limits Limits, panels []ImagePanel) (*Figure, error) {
	axes, panels = clone.Of(axes), clone.Of(panels)
	if len(panels) == 0 {
		return nil, invalid("figures: Images got no panels, wanted one or more")
	}
	for i, p := range panels {
		if err := p.check(panels[0]); err != nil {
			return nil, fmt.Errorf("figures: panel %d (%q): %w", i, p.Title, err)
		}
	}
	rows, columns := len(panels[0].Values), len(panels[0].Values[0])
	aspect := float64(rows) / float64(columns)
	height := min(tallest, aspect*((cmp.Or(axes.Width, defaultWidth)-100)/float64(len(panels))-20))
	last, missing := map[bool]int{}, map[bool]bool{} // panel of either kind
	for i, p := range panels {
		last[p.Diverging], missing[p.Diverging] = i, missing[p.Diverging] || anyNaN(p.Values)
	}
	var plots []*plot.Plot
	for i, panel := range panels {
		colours, err := limits.colouring(panels, panel.Diverging)
		if err != nil {
			return nil, fmt.Errorf("figures: Images: %w", err)
		}
		p := field{colours, panel.Values, 0}.plot(panel.Title, vg.Length(height/aspect), 0, 0)
		p.HideAxes()
		if p.X.Label.Text = axes.X; i == 0 {
			p.Y.Label.Text = axes.Y
		}
		if last[panel.Diverging] == i {
			p.Add(colourBar{colours, axes.Colour, missing[panel.Diverging], height})
		}
		plots = append(plots, p)
	}
	return newTiles(plots, len(plots)).figure(axes, describeImages(axes, panels), aspect)
}

// colouring checks the limits, and computes missing limits from the panels.
func (m Limits) colouring(panels []ImagePanel, signed bool) (colouring, error) {
	found := LimitsOf(panels)
	if m.Low == 0 && m.High == 0 {
		m.Low, m.High = found.Low, found.High
	}
	s, kind := scale{min: m.Low, max: m.High}, ""
	if signed {
		s.max = cmp.Or(m.Swing, found.Swing)
		s.min, kind = -s.max, " in the diverging panels"
	}
	switch {
	case s == scale{}:
		return colouring{}, invalid("no value to draw%s: all are missing (NaN)", kind)
	case s.min < s.max && finite(s.min) && finite(s.max):
		return colouring{scale: s, signed: signed}, nil
	case signed:
		return colouring{}, invalid("Swing is %g, wanted a positive number, or 0 for the largest magnitude", s.max)
	}
	return colouring{}, invalid("limits are Low %g and High %g, wanted Low < High and both finite, or both 0",
		s.min, s.max)
}

// check compares the panel's shape with the first panel's.
func (p ImagePanel) check(first ImagePanel) error {
	if len(p.Values) == 0 || len(p.Values[0]) == 0 {
		return invalid("field in Values is empty, wanted [rows][columns] with at least one of each")
	}
	if len(p.Values) != len(first.Values) {
		return invalid("%d rows, the first panel has %d: give all panels one shape", len(p.Values), len(first.Values))
	}
	return checkCells(p.Values, len(first.Values[0]), false)
}
