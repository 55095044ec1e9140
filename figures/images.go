package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// ImagePanel is a field on a rectangular grid, such as the state of 20 x 20 nodes at one time.
type ImagePanel struct {
	Title     string
	Values    [][]float64 // [rows][columns], the first row on top; NaN is missing and drawn grey
	Diverging bool        // signed values, such as a difference: neutral at 0, with equal ranges on both sides
}

// Limits are the two colour scales of Images; give all frames of a Slider the same. Values beyond them keep the colour
// of the end.
type Limits struct {
	Low, High float64 // ends of the sequential scale; both 0 takes them from the panels
	Swing     float64 // the diverging scale is -Swing to Swing; 0 takes the largest magnitude in the panels
}

// LimitsOf returns limits that hold all values of all frames.
func LimitsOf(frames ...[]ImagePanel) Limits {
	var limits Limits
	var values [][]float64
	signed := false
	for _, panels := range frames {
		for _, p := range panels {
			if !p.Diverging {
				values = append(values, p.Values...)
				continue
			}
			for _, row := range p.Values {
				for _, v := range row {
					if finite(v) {
						limits.Swing, signed = math.Max(limits.Swing, math.Abs(v)), true
					}
				}
			}
		}
	}
	if s, ok := fit(false, 0, values...); ok {
		limits.Low, limits.High = s.min, s.max
	}
	if signed && limits.Swing == 0 {
		limits.Swing = 1
	}
	return limits
}

// Images draws fields of one shape beside each other. Panels that are not diverging share a sequential colour scale,
// diverging ones a diverging scale, and each scale has its bar at the right of its last panel; axes.Colour labels both.
func Images(axes Axes, limits Limits, panels []ImagePanel) (*Figure, error) {
	if len(panels) == 0 {
		return nil, fmt.Errorf("figures: Images got no panels, wanted one or more: %w", ErrInput)
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
		colours, err := limits.colouring(panel.Diverging, panels)
		if err != nil {
			return nil, err
		}
		p := field{colours, panel.Values, 0}.plot(panel.Title, 0, 0)
		p.HideAxes()
		if p.X.Label.Text = axes.X; i == 0 {
			p.Y.Label.Text = axes.Y
		}
		if last[panel.Diverging] == i {
			p.Add(colourBar{colours, axes.Colour, missing[panel.Diverging], height})
		}
		plots = append(plots, p)
	}
	return newTiles(plots, len(plots)).figure(axes, aspect)
}

func (m Limits) colouring(signed bool, panels []ImagePanel) (colouring, error) {
	fail := func(format string, args ...any) (colouring, error) {
		return colouring{}, fmt.Errorf("figures: Images: %s: %w", fmt.Sprintf(format, args...), ErrInput)
	}
	found := LimitsOf(panels)
	if signed {
		swing := cmp.Or(m.Swing, found.Swing)
		if !(swing >= 0 && finite(swing)) {
			return fail("Swing is %g, wanted a positive number, or 0 for the largest magnitude", swing)
		}
		if swing == 0 {
			return fail("no value to draw in the diverging panels: all are missing (NaN)")
		}
		return colouring{scale{min: -swing, max: swing}, true}, nil
	}
	low, high := m.Low, m.High
	if low == 0 && high == 0 {
		if low, high = found.Low, found.High; low == 0 && high == 0 {
			return fail("no value to draw: all are missing (NaN)")
		}
	}
	if !(low < high && finite(low) && finite(high)) {
		return fail("limits are Low %g and High %g, wanted Low < High and both finite, or both 0", low, high)
	}
	return colouring{scale: scale{min: low, max: high}}, nil
}

// check compares the panel's shape with that of the first.
func (p ImagePanel) check(first ImagePanel) error {
	if len(p.Values) == 0 || len(p.Values[0]) == 0 {
		return fmt.Errorf("field in Values is empty, wanted [rows][columns] with at least one of each: %w", ErrInput)
	}
	if len(p.Values) != len(first.Values) {
		return fmt.Errorf("%d rows, the first panel has %d: give all panels one shape: %w", len(p.Values), len(first.Values), ErrInput)
	}
	for i, row := range p.Values {
		if len(row) != len(first.Values[0]) {
			return fmt.Errorf("row %d has %d columns, the first panel has %d, wanted as many in each: %w", i, len(row), len(first.Values[0]), ErrInput)
		}
		for j, v := range row {
			if math.Abs(v) > mostFinite {
				return fmt.Errorf("value [%d][%d] is %g, wanted finite values; NaN marks a missing one: %w", i, j, v, ErrInput)
			}
		}
	}
	return nil
}
