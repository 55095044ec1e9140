package figures

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// HeatPanel is one weighted adjacency matrix, from rows to columns, either Dense or as a list of edges.
type HeatPanel struct {
	Title   string      // such as "day 0"
	Dense   [][]float64 // [from][to]; 0 is no edge, NaN a missing weight
	N       int         // number of nodes, for edges
	From    []int       // [edges]
	To      []int       // [edges]
	Weights []float64   // [edges]; nil is 1 each; weights of repeated edges add up
}

const panelsPerRow = 4

// Adjacency draws matrices beside each other on one logarithmic colour scale; pairs without an edge stay white.
func Adjacency(axes Axes, panels []HeatPanel) (*Figure, error) {
	if len(panels) == 0 {
		return nil, fmt.Errorf("figures: Adjacency got no panels, wanted one or more: %w", ErrInput)
	}
	matrices := make([][][]float64, len(panels))
	var weights [][]float64
	missing := false
	for i, p := range panels {
		m, err := p.matrix()
		if err != nil {
			return nil, fmt.Errorf("figures: panel %d (%q): %w", i, p.Title, err)
		}
		matrices[i] = m
		weights = append(weights, m...)
		missing = missing || anyNaN(m)
	}
	s, ok := fit(true, 0, weights...)
	if !ok {
		return nil, fmt.Errorf("figures: no weight above 0 in %d panels, so there is no colour scale; check Weights: %w", len(panels), ErrInput)
	}
	if axes.X == "" && axes.Y == "" {
		axes.X, axes.Y = "to node", "from node"
	}
	columns := min(len(panels), panelsPerRow)
	colours := colouring{scale: s}
	side := min(tallest, (cmp.Or(axes.Width, defaultWidth)-100)/float64(columns))
	var plots []*plot.Plot
	for i, m := range matrices {
		p := field{colours, m, 0}.plot(panels[i].Title, int(side/32), int(side/32))
		if i+columns >= len(matrices) {
			p.X.Label.Text = axes.X
		}
		if p.Y.Label.Text = axes.Y; i%columns > 0 {
			p.HideY()
			p.Y.Label.Text = ""
		}
		if i == columns-1 {
			p.Add(colourBar{colours, axes.Colour, missing, side})
		}
		plots = append(plots, p)
	}
	return newTiles(plots, columns).figure(axes, 1)
}

// matrix checks the panel and returns it dense.
func (p HeatPanel) matrix() ([][]float64, error) {
	if p.Dense != nil {
		if p.From != nil || p.To != nil || p.Weights != nil {
			return nil, fmt.Errorf("both Dense and edges are given, wanted one of them: %w", ErrInput)
		}
		return p.Dense, p.checkDense()
	}
	if p.N < 1 {
		return nil, fmt.Errorf("number of nodes N is %d, wanted 1 or more (or Dense): %w", p.N, ErrInput)
	}
	if len(p.From) != len(p.To) || p.Weights != nil && len(p.Weights) != len(p.From) {
		return nil, fmt.Errorf("%d sources, %d targets and %d weights, wanted as many of each: %w", len(p.From), len(p.To), len(p.Weights), ErrInput)
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
			return nil, fmt.Errorf("edge %d runs from %d to %d, wanted nodes 0 to %d: %w", e, from, to, p.N-1, ErrInput)
		}
		if err := checkWeight(w, from, to); err != nil {
			return nil, err
		}
		m[from][to] += w
	}
	return m, nil
}

func (p HeatPanel) checkDense() error {
	if len(p.Dense) == 0 {
		return fmt.Errorf("matrix in Dense has no rows, wanted a square one: %w", ErrInput)
	}
	for from, row := range p.Dense {
		if len(row) != len(p.Dense) {
			return fmt.Errorf("row %d of Dense has %d columns of %d rows, wanted a square matrix: %w", from, len(row), len(p.Dense), ErrInput)
		}
		for to, w := range row {
			if err := checkWeight(w, from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkWeight(w float64, from, to int) error {
	if w < 0 || w > mostFinite {
		return fmt.Errorf("weight from %d to %d is %g, wanted finite and not negative (the colour scale is logarithmic; HeatMap draws signed values): %w",
			from, to, w, ErrInput)
	}
	return nil
}

func anyNaN(m [][]float64) bool {
	for _, row := range m {
		for _, v := range row {
			if math.IsNaN(v) {
				return true
			}
		}
	}
	return false
}
