package catalogue

import (
	"errors"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Drawn collects the figures that stored runs allow.
type Drawn struct {
	All []experiments.PageFigure
	Err error
}

func (p *Drawn) Add(name string, f *figures.Figure, err error) {
	switch {
	case p.Err != nil || errors.Is(err, experiments.ErrNotStored):
	case err != nil:
		p.Err = err
	default:
		p.All = append(p.All, experiments.PageFigure{Name: name, Figure: f})
	}
}

// Items returns the collected figures, for a notebook or a shell.
func (p *Drawn) Items() (items []figures.Item) {
	for _, f := range p.All {
		items = append(items, f.Figure)
	}
	return items
}

// NoRuns returns the error that there is nothing to draw.
func NoRuns(model string, of ...string) error {
	return errs.New(experiments.ErrNotStored, "experiments: no run of %q with %s to draw", model,
		strings.Join(of, " and "))
}

// Pixels returns the rows of a square image; pixels beyond the last node are missing.
func Pixels(values []float64, side int) [][]float64 {
	rows := make([][]float64, (len(values)+side-1)/side)
	for i := range rows {
		for j := range side {
			v := math.NaN()
			if u := i*side + j; u < len(values) {
				v = values[u]
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

// Edges returns a panel of the edges with nonzero weight; it does not show the weights.
func Edges(title string, pattern *dyngraph.Pattern, weights []float64) figures.HeatPanel {
	p := figures.HeatPanel{Title: title, N: pattern.Nodes}
	for e, w := range weights {
		if w != 0 {
			p.From, p.To = append(p.From, int(pattern.From[e])), append(p.To, int(pattern.To[e]))
		}
	}
	return p
}
