package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	rows := (len(panels) + columns - 1) / columns
	layout := adjacencyLayout{axes: axes, colours: colouring{scale: s, colours: sequential}, rows: rows, columns: columns, missing: missing}
	return axes.figure(layout.height(matrices), func(c draw.Canvas) { layout.draw(c, panels, matrices) })
}

type adjacencyLayout struct {
	axes          Axes
	colours       colouring
	rows, columns int
	missing       bool
}

const panelGap = 14 // between panels

// height makes the panels square at the width that is left for each.
func (l adjacencyLayout) height(matrices [][][]float64) float64 {
	width := vg.Length(l.axes.Width)
	if width == 0 {
		width = defaultWidth
	}
	bar := l.colours.barRoom(l.axes.Colour, l.missing, 150) + panelGap
	r := l.rims(matrices)
	panel := (width - 2*margin - bar - r.left - r.right - panelGap*vg.Length(l.columns-1)) / vg.Length(l.columns)
	panel = min(panel, 320)
	each := panel + panelText.size + gap
	total := 2*margin + l.axes.titleHeight() + r.bottom + vg.Length(l.rows)*each + vg.Length(l.rows-1)*(panelGap+tickText.size)
	return float64(max(total, smallest))
}

func (l adjacencyLayout) rims(matrices [][][]float64) rims {
	x := cells(len(matrices[0]))
	return rimsFor(l.axes, x.ticks(3), x.ticks(3))
}

// cells is the scale of cell numbers from 0, with half a cell at each end.
func cells(n int) scale { return scale{min: -0.5, max: float64(n) - 0.5} }

func (l adjacencyLayout) draw(c draw.Canvas, panels []HeatPanel, matrices [][][]float64) {
	r := l.rims(matrices)
	bar := l.colours.barRoom(l.axes.Colour, l.missing, 150) + panelGap
	between := vg.Length(panelGap)
	down := panelText.size + gap + between + tickText.size
	inside := draw.Crop(c, r.left, -bar-r.right, r.bottom, -panelText.size-gap)
	side := (inside.Max.X - inside.Min.X - between*vg.Length(l.columns-1)) / vg.Length(l.columns)
	side = min(side, (inside.Max.Y-inside.Min.Y-down*vg.Length(l.rows-1))/vg.Length(l.rows))
	if side < 20 {
		panic(fmt.Sprintf("no room for %d panels", len(panels)))
	}
	for i, m := range matrices {
		row, column := i/l.columns, i%l.columns
		x0 := inside.Min.X + vg.Length(column)*(side+between)
		y1 := inside.Max.Y - vg.Length(row)*(side+down)
		f := frame{Canvas: c, x: cells(len(m)), y: cells(len(m))}
		f.Min, f.Max = vg.Point{X: x0, Y: y1 - side}, vg.Point{X: x0 + side, Y: y1}
		f.xTicks = f.x.wholeTicks(int(side / 32))
		f.DrawImage(f.Rectangle, l.colours.raster(len(m), len(m), func(r, c int) float64 { return m[r][c] }))
		outline(&f.Canvas, f.Rectangle)
		panelText.write(&f.Canvas, f.Min.X, f.Max.Y+gap-1, left, panelText.shorten(panels[i].Title, side))
		xLabel, yLabel := "", ""
		if i+l.columns >= len(matrices) {
			xLabel = l.axes.X
		}
		f.bottomAxis(xLabel)
		if column == 0 {
			f.yTicks = f.xTicks
			yLabel = l.axes.Y
			f.y = scale{min: f.y.max, max: f.y.min} // the first row is on top
			f.leftAxis(yLabel)
		}
	}
	right := inside.Min.X + side*vg.Length(l.columns) + between*vg.Length(l.columns)
	b := c
	b.Min = vg.Point{X: right, Y: inside.Max.Y - side}
	b.Max = vg.Point{X: c.Max.X, Y: inside.Max.Y}
	l.colours.drawBar(b, l.axes.Colour, l.missing)
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
