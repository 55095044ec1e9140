package experiments

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// learnt are the weights of the maps of a model in a world, by map, column (layer 1 on A and A', layer 2 on A and A', ...) and
// seed, the fixed 1 of the identity included.
type learnt struct {
	name    string
	maps    []equivariant.Map
	columns []string
	values  [][][]float64
}

func (r *WorldResults) learnt(dynamics, family, model string) (learnt, error) {
	runs := r.finished(dynamics, family, model)
	if len(runs) == 0 || len(runs[0].Fusion) == 0 {
		return learnt{}, noWorldRuns(dynamics, family, model)
	}
	l := learnt{name: runs[0].Model.Name}
	for k := range runs[0].Fusion {
		l.columns = append(l.columns, fmt.Sprintf("layer %d, A", k+1), fmt.Sprintf("layer %d, A'", k+1))
	}
	for i, weight := range runs[0].Fusion[0] {
		l.maps = append(l.maps, weight.Map)
		values := make([][]float64, len(l.columns))
		for _, run := range runs {
			for k, layer := range run.Fusion {
				w := layer[i]
				if w.Map == equivariant.IdentityMap {
					w.A, w.D = w.A+1, w.D+1
				}
				values[2*k], values[2*k+1] = append(values[2*k], w.A), append(values[2*k+1], w.D)
			}
		}
		l.values = append(l.values, values)
	}
	return l, nil
}

// Weights is the table of the learnt weights of the maps by layer, on A and on A', the fixed 1 of the identity included. The
// published values stand beside those of the published maps.
func (r *WorldResults) Weights(dynamics, family, model string) (*figures.Table, error) {
	l, err := r.learnt(dynamics, family, model)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{
		Title:   fmt.Sprintf("Learnt weights of the maps: %s, %s graphs, %s", dynamics, family, l.name),
		Columns: []figures.Column{{Title: "map"}},
		Notes: []string{fmt.Sprintf("Mean over seeds (%d) with its 95%% interval (Student t). Sums over nodes are divided by their number, totals by its square. Weights began at random in ±1/15, those of the identity 1 higher.", len(l.values[0][0])),
			"The paper prints its values for heat, without saying for which family."},
	}
	for _, column := range l.columns {
		t.Columns = append(t.Columns, figures.Column{Title: column, Decimals: 3})
	}
	for i, name := range l.maps {
		cells := []figures.Cell{figures.Text(name.String())}
		published, known := publishedWeights[name]
		for j, values := range l.values[i] {
			cell := estimate(values)
			if known && dynamics == "heat" && j < len(published) {
				cell = cell.Published(published[j], math.NaN())
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

// WeightsMap draws the means of [WorldResults.Weights] as colours, that of the identity less its fixed 1.
func (r *WorldResults) WeightsMap(dynamics, family, model string) (*figures.Figure, error) {
	l, err := r.learnt(dynamics, family, model)
	if err != nil {
		return nil, err
	}
	grid := figures.Grid{Diverging: true, Columns: l.columns}
	for i, name := range l.maps {
		grid.Rows = append(grid.Rows, name.String())
		var row []float64
		for _, values := range l.values[i] {
			mean, _ := train.MeanCI(values)
			if name == equivariant.IdentityMap {
				mean--
			}
			row = append(row, mean)
		}
		grid.Values = append(grid.Values, row)
	}
	axes := figures.Axes{Title: fmt.Sprintf("Learnt weights: %s, %s graphs", dynamics, family), Colour: "weight, that of the identity less 1"}
	return figures.HeatMap(axes, grid)
}
