package figures

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

// HeatPanel is one weighted adjacency matrix, with edges from rows to columns, given as Dense or as a list of edges.
type HeatPanel struct {
	Title   string      // such as "day 0"
	Dense   [][]float64 // [from][to]; 0 is no edge, NaN a missing weight
	N       int         // number of nodes, for edges
	From    []int       // [edges]
	To      []int       // [edges]
	Weights []float64   // [edges]; nil is 1 each; weights of repeated edges add up
}

const panelsPerRow = 4

// Adjacency draws matrices side by side on one logarithmic colour scale; pairs without an edge stay white.
func Adjacency(axes Axes, panels []HeatPanel) (*Figure, error) {
	axes, panels = clone.Of(axes), clone.Of(panels)
	if len(panels) == 0 {
		return nil, invalid("figures: Adjacency got no panels, wanted one or more")
	}
	matrices := make([][][]float64, len(panels))
	var weights [][]float64
	for i, p := range panels {
		m, err := p.matrix()
		if err != nil {
			return nil, fmt.Errorf("figures: panel %d (%q): %w", i, p.Title, err)
		}
		matrices[i] = m
		weights = append(weights, m...)
	}
	s, ok := fit(true, 0, weights...)
	if !ok {
		return nil, invalid("figures: no weight above 0 in %d panels, so there is no colour scale; check Weights",
			len(panels))
	}
	if axes.X == "" && axes.Y == "" {
		axes.X, axes.Y = "to node", "from node"
	}
	kinds := slices.Compact(slices.Sorted(slices.Values(slices.Concat(weights...))))
	uniform := !anyNaN(weights) && len(kinds) <= 2 // 0 and one weight: then colours say nothing
	columns := min(len(panels), panelsPerRow)
	colours := colouring{scale: s}
	side := min(tallest, (cmp.Or(axes.Width, defaultWidth)-100)/float64(columns))
	var plots []*plot.Plot
	for i, m := range matrices {
		p := field{colours, m, 0}.plot(panels[i].Title, vg.Length(side), int(side/32), int(side/32))
		if i+columns >= len(matrices) {
			p.X.Label.Text = axes.X
		}
		if p.Y.Label.Text = axes.Y; i%columns > 0 {
			p.HideY()
			p.Y.Label.Text = ""
		}
		if i == columns-1 && !uniform {
			p.Add(colourBar{colours, axes.Colour, anyNaN(weights), side})
		}
		plots = append(plots, p)
	}
	return newTiles(plots, columns).figure(axes, describeGraphs(axes, panels, matrices), 1)
}

// matrix checks the panel and returns its dense matrix.
func (p HeatPanel) matrix() ([][]float64, error) {
	switch {
	case p.Dense != nil && (p.From != nil || p.To != nil || p.Weights != nil):
		return nil, invalid("both Dense and edges are given, wanted one of them")
	case len(p.Dense) > 0:
		return p.Dense, checkCells(p.Dense, len(p.Dense), true)
	case p.N < 1:
		return nil, invalid("number of nodes N is %d and Dense has no rows, wanted 1 or more in one of them", p.N)
	case len(p.From) != len(p.To) || p.Weights != nil && len(p.Weights) != len(p.From):
		return nil, invalid("%d sources, %d targets and %d weights, wanted as many of each",
			len(p.From), len(p.To), len(p.Weights))
	}
	m := make([][]float64, p.N)
	for i := range m {
		m[i] = make([]float64, p.N)
	}
	for e, from := range p.From {
		to, w := p.To[e], 1.0
		if p.Weights != nil {
			w = p.Weights[e]
		}
		if from < 0 || from >= p.N || to < 0 || to >= p.N {
			return nil, invalid("edge %d runs from %d to %d, wanted nodes 0 to %d", e, from, to, p.N-1)
		}
		if w < 0 || w > mostFinite {
			return nil, invalid("weight from %d to %d is %g, wanted finite values%s", from, to, w, notNegative[true])
		}
		m[from][to] += w
	}
	return m, nil
}
