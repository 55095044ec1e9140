package paper

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// keepWeights keeps the learnt weights of the maps of every layer of a PENG-CDE, without the fixed 1 of the identity.
func keepWeights(facts *experiments.Facts, l experiments.Learner, maps int) {
	network, ok := l.(experiments.NetworkLearner)
	if !ok || maps == 0 {
		return
	}
	for k := 0; ; k++ {
		values, ok := network.Parameter(fmt.Sprintf("field.layers.%d.maps", k))
		if !ok {
			return
		}
		var a, d []float64
		for i := range maps {
			a, d = append(a, values[2*i]), append(d, values[2*i+1])
		}
		facts.Arrays["maps of A"] = append(facts.Arrays["maps of A"], a)
		facts.Arrays["maps of A'"] = append(facts.Arrays["maps of A'"], d)
	}
}

// learnt are the weights of the maps of a model in a world, by map, column (layer 1 on A and A', layer 2 on A and A',
// ...) and seed, the fixed 1 of the identity included.
type learnt struct {
	name    string
	maps    []equivariant.Map
	columns []string
	values  [][][]float64
}

func newLearnt(r *experiments.Report, dynamics, family, model string) (learnt, error) {
	results := finished(r, dynamics, family, model)
	if len(results) == 0 || len(results[0].Facts().Arrays["maps of A"]) == 0 {
		return learnt{}, noWorldRuns(dynamics, family, model)
	}
	l := learnt{name: results[0].Model.Name, maps: results[0].Spec.(world).maps}
	for k := range results[0].Facts().Arrays["maps of A"] {
		l.columns = append(l.columns, fmt.Sprintf("layer %d, A", k+1), fmt.Sprintf("layer %d, A'", k+1))
	}
	for i, m := range l.maps {
		values := make([][]float64, len(l.columns))
		for _, result := range results {
			for side, name := range []string{"maps of A", "maps of A'"} {
				for k, layer := range result.Facts().Arrays[name] {
					weight := layer[i]
					if m == equivariant.IdentityMap {
						weight++
					}
					values[2*k+side] = append(values[2*k+side], weight)
				}
			}
		}
		l.values = append(l.values, values)
	}
	return l, nil
}

// Weights is the table of the learnt weights of the maps by layer, on A and on A', the fixed 1 of the identity
// included. The published values stand beside those of the published maps.
func (w Worlds) Weights(r *experiments.Report, dynamics, family, model string) (*figures.Table, error) {
	l, err := newLearnt(r, dynamics, family, model)
	if err != nil {
		return nil, err
	}
	t := &figures.Table{
		Title:   fmt.Sprintf("Learnt weights of the maps: %s, %s graphs, %s", dynamics, family, l.name),
		Columns: []figures.Column{{Title: "map"}},
		Notes: []string{fmt.Sprintf("Mean over seeds (%d) with its 95%% interval (Student t). Sums over nodes are divided "+
			"by their number, totals by its square. Weights began at random in ±1/15, those of the identity 1 higher.",
			len(l.values[0][0])),
			"The paper prints its values for heat, without saying for which family."},
	}
	for _, column := range l.columns {
		t.Columns = append(t.Columns, figures.Column{Title: column, Decimals: 3})
	}
	for i, name := range l.maps {
		cells := []figures.Cell{figures.Text(name.String())}
		published, known := publishedWeights[name]
		for j, values := range l.values[i] {
			cell := experiments.Interval{}.Cell(values)
			if known && dynamics == "heat" && j < len(published) {
				cell = cell.Published(published[j], math.NaN())
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

// WeightsMap draws the means of [Worlds.Weights] as colours, that of the identity less its fixed 1.
func (w Worlds) WeightsMap(r *experiments.Report, dynamics, family, model string) (*figures.Figure, error) {
	l, err := newLearnt(r, dynamics, family, model)
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
	axes := figures.Axes{Title: fmt.Sprintf("Learnt weights: %s, %s graphs", dynamics, family),
		Colour: "weight, that of the identity less 1"}
	return figures.HeatMap(axes, grid)
}
