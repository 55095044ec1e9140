package figures

import (
	"cmp"
	"math"
	"strings"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axes holds the texts and settings of the axes around the data. Its zero value draws bare axes at the default size.
type Axes struct {
	Title  string    // above the figure, left
	X, Y   string    // labels with units, such as "day" and "new cases per 100,000"
	Start  time.Time // if set, X counts days from it, and lines, forecasts and heat maps show dates such as 24 Mar
	Colour string    // label of the colour bar, for heat maps
	Dot    string    // Dots: what a faint dot is; "" is "one seed"
	Large  string    // Dots: what a large dot is; "" is "mean"
	// Published says in the key of Dots where a published result is from; "" is "published".
	Published string
	Better    Direction // Lines, Dots: Higher describes the highest, else the lowest
	LogX      bool      // logarithmic scale; needs positive values
	LogY      bool      // logarithmic scale; needs positive values
	Room      []float64 // Lines: values that the range of Y must include, so that two figures have the same scale
	Spans     []Span    // shaded ranges of X
	Marks     []Mark    // Lines, LossCurves, Dots: vertical lines behind the data
	Notes     []string  // sentences below the figure, each on a new line
	Width     float64   // points; 0 is 640, the width of a notebook's output
	Height    float64   // points; 0 lets the figure choose
}

// Span is a named range of X that is shaded, such as the days used for training.
type Span struct {
	Name     string
	From, To float64
}

// Mark is a vertical line, such as a change of the graph or the end of the training times. Marks that share a name
// share an entry of the key. A mark outside the range of the data is not drawn, and does not widen an axis.
type Mark struct {
	Name string // "" leaves it out of the key
	X    float64
	Bold bool // thick and dark, for the one line that matters; else thin and faint
}

const (
	defaultWidth = 640
	smallest     = 60   // points; below this not even the labels fit
	largest      = 5000 // points; above this a PNG no longer fits in memory
	margin       = 4    // points around everything
	gap          = 6    // points between neighbours
)

// figure checks the size and returns a figure that draws body below the title and is described by alt.
func (a Axes) figure(height float64, alt string, body func(c draw.Canvas)) (*Figure, error) {
	width, height := cmp.Or(a.Width, defaultWidth), cmp.Or(a.Height, height)
	if !(width >= smallest && width <= largest && height >= smallest && height <= largest) {
		return nil, invalid("figures: size is %g by %g points, wanted %d to %d each; leave Width and Height at 0 for the "+
			"default", width, height, smallest, largest)
	}
	for _, s := range a.Spans {
		if !(s.From < s.To) || math.IsInf(s.To-s.From, 0) {
			return nil, invalid("figures: span %q runs from %g to %g, wanted From < To and both finite", s.Name, s.From, s.To)
		}
		if a.LogX && s.From <= 0 {
			return nil, invalid("figures: span %q starts at %g on a logarithmic X, wanted a positive From", s.Name, s.From)
		}
	}
	for i, m := range a.Marks {
		if !finite(m.X) {
			return nil, invalid("figures: mark %d (%q) lies at %g, wanted a finite X", i, m.Name, m.X)
		}
	}
	for _, note := range a.Notes {
		alt += " " + strings.TrimSuffix(note, ".") + "."
	}
	f := &Figure{
		title: a.Title, alt: alt, width: vg.Points(width), height: vg.Points(height), caption: a.Notes,
		draw: func(c draw.Canvas) {
			c = draw.Crop(c, margin, -margin, margin, -margin)
			if a.Title != "" {
				write(c, titleText, draw.XLeft, c.Min.X, c.Max.Y-(1-capHeight/2)*titleText.Font.Size, a.Title)
				c.Max.Y -= a.titleHeight()
			}
			body(c)
		},
	}
	if a.Height == 0 {
		f.height += f.captionHeight()
	}
	return f, nil
}

func (a Axes) titleHeight() vg.Length {
	if a.Title == "" {
		return 0
	}
	return titleText.Font.Size + gap
}
