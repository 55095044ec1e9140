package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	plan := imagePlan{axes: axes, panels: panels, bars: map[bool]*imageBar{}}
	for i, p := range panels {
		b := plan.bars[p.Diverging]
		if b == nil {
			colours, err := limits.colouring(p.Diverging, panels)
			if err != nil {
				return nil, err
			}
			b = &imageBar{colours: colours}
			plan.bars[p.Diverging] = b
		}
		b.after, b.missing = i, b.missing || anyNaN(p.Values)
	}
	width := vg.Points(cmp.Or(axes.Width, defaultWidth)) - 2*margin
	_, high := plan.panelSize(width, tallestImage)
	return axes.figure(float64(max(2*margin+axes.titleHeight()+plan.above()+high+plan.below(), smallest)), plan.draw)
}

// tallestImage is how high a panel gets when there is room.
const tallestImage = 320

// imagePlan places panels and colour bars from left to right.
type imagePlan struct {
	axes   Axes
	panels []ImagePanel
	bars   map[bool]*imageBar // by Diverging
}

// imageBar is the colour bar of one kind of panel.
type imageBar struct {
	colours colouring
	after   int // the last panel of the kind
	missing bool
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
		return colouring{scale: scale{min: -swing, max: swing}, colours: diverging}, nil
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
	return colouring{scale: scale{min: low, max: high}, colours: sequential}, nil
}

// barRoom is the width that the bar behind panel i takes, if there is one. Room for the note about missing cells is
// always kept, so that figures with the same limits have the same size.
func (l imagePlan) barRoom(i int, height vg.Length) vg.Length {
	b := l.bars[l.panels[i].Diverging]
	if b.after != i {
		return 0
	}
	return gap + b.colours.barRoom(l.axes.Colour, true, height)
}

func (l imagePlan) above() vg.Length {
	for _, p := range l.panels {
		if p.Title != "" {
			return panelText.size + gap
		}
	}
	return 2
}

func (l imagePlan) below() vg.Length { return labelRoom(l.axes.X) }

func labelRoom(label string) vg.Length {
	if label == "" {
		return 2
	}
	return labelText.size + gap
}

// panelSize returns the size of a panel with square cells in a figure of the given width.
func (l imagePlan) panelSize(width, most vg.Length) (wide, high vg.Length) {
	rows, columns := len(l.panels[0].Values), len(l.panels[0].Values[0])
	n := vg.Length(len(l.panels))
	left := width - labelRoom(l.axes.Y) - panelGap*(n-1)
	for i := range l.panels {
		left -= l.barRoom(i, most)
	}
	cell := min(left/n/vg.Length(columns), most/vg.Length(rows))
	return cell * vg.Length(columns), cell * vg.Length(rows)
}

func (l imagePlan) draw(c draw.Canvas) {
	size := c.Size()
	wide, high := l.panelSize(size.X, min(tallestImage, size.Y-l.above()-l.below()))
	if wide < 10 || high < 10 {
		panic(fmt.Sprintf("no room for %d panels", len(l.panels)))
	}
	x, y := c.Min.X+labelRoom(l.axes.Y), c.Max.Y-l.above()
	labelText.writeUp(&c, c.Min.X+labelText.size/2, y-high/2, l.axes.Y)
	for i, p := range l.panels {
		area := vg.Rectangle{Min: vg.Point{X: x, Y: y - high}, Max: vg.Point{X: x + wide, Y: y}}
		b := l.bars[p.Diverging]
		c.DrawImage(area, b.colours.raster(len(p.Values), len(p.Values[0]), func(r, c int) float64 { return p.Values[r][c] }))
		outline(&c, area)
		panelText.write(&c, x, y+gap-1, left, panelText.shorten(p.Title, wide+panelGap/2))
		labelText.write(&c, x+wide/2, area.Min.Y-gap-capHeight*labelText.size, centre, l.axes.X)
		if b.after == i {
			bar := c
			bar.Min, bar.Max = vg.Point{X: area.Max.X + gap, Y: area.Min.Y}, vg.Point{X: c.Max.X, Y: y}
			b.colours.drawBar(bar, l.axes.Colour, b.missing)
		}
		x += wide + l.barRoom(i, high) + panelGap
	}
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
