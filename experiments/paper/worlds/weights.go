package worlds

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/stats"
)

// mapsOf names the arrays of weights on A and on A', by layer and map.
var mapsOf = [2]string{"maps of A", "maps of A'"}

// keepWeights stores the learnt weights of the maps of every layer of a PENG-CDE, without the fixed 1 of the
// identity. A layer that does not see A' has none on it.
func keepWeights(facts *experiments.Facts, l experiments.Learner, maps int) {
	network, ok := l.(experiments.NetworkLearner)
	for k := 0; ok && maps > 0; k++ {
		values, found := network.Parameter(fmt.Sprintf("field.layers.%d.maps", k))
		if !found {
			return
		}
		sides := len(values) / maps // [maps, sides], of A and, where the layer sees it, of A'
		for side, name := range mapsOf {
			layer := []float64{}
			for i := 0; side < sides && i < maps; i++ {
				layer = append(layer, values[sides*i+side])
			}
			facts.Arrays[name] = append(facts.Arrays[name], layer)
		}
	}
}

// learnt holds the weights of the maps of a model in a world, without the fixed 1 of the identity, by map, column
// (layer 1 on A and A', layer 2 on A and A', ...) and seed. Layers that do not see A' have one column.
type learnt struct {
	name    string
	inner   bool // whether there is such a layer
	maps    []equivariant.Map
	columns []string
	values  [][][]float64
}

func newLearnt(r *experiments.Report, dynamics, family, model string) (learnt, error) {
	results, err := finished(r, dynamics, family, model)
	if err != nil {
		return learnt{}, err
	}
	layers := len(results[0].Facts().Arrays[mapsOf[0]])
	if layers == 0 {
		return learnt{}, errs.New(experiments.ErrInput, "experiments: model %q has no weights of maps, want a PENG-CDE",
			model)
	}
	l := learnt{name: results[0].Model.Name, maps: results[0].Spec.(world).maps}
	l.values = make([][][]float64, len(l.maps))
	for k := range layers {
		for _, name := range mapsOf {
			if floats.Norm(results[0].Facts().Arrays[name][k], 1) == 0 { // no weights, or stored as zeros
				l.inner = true
				continue
			}
			l.columns = append(l.columns, fmt.Sprintf("layer %d, %s", k+1, strings.TrimPrefix(name, "maps of ")))
			for i := range l.maps {
				var seeds []float64
				for _, result := range results {
					seeds = append(seeds, result.Facts().Arrays[name][k][i])
				}
				l.values[i] = append(l.values[i], seeds)
			}
		}
	}
	return l, nil
}

// Weights returns the table of the learnt weights of the maps by layer, on A and on A', including the fixed 1 of the
// identity. The published weights are shown next to the weights of the published maps.
func (w Worlds) Weights(r *experiments.Report, dynamics, family, model string) (*figures.Table, error) {
	l, err := newLearnt(r, dynamics, family, model)
	if err != nil {
		return nil, err
	}
	scales := "Sums over nodes are divided by their number, totals by its square."
	if l.inner {
		scales = "Layers without weights on A' do not see it."
	}
	t := &figures.Table{
		Title:   fmt.Sprintf("Learnt weights of the maps: %s, %s graphs, %s", dynamics, family, l.name),
		Columns: []figures.Column{{Title: "map"}},
		Notes: []string{fmt.Sprintf("Mean over seeds (%d) with its 95%% interval (Student t). %s Weights began at random "+
			"in ±1/15, for the identity 1 higher.", len(l.values[0][0]), scales)},
	}
	compared := r.Comparable() && dynamics == "heat" && !l.inner // the published field sees A' in each layer
	if compared {
		t.Notes = append(t.Notes, publishedWeightsNote)
	} else if !r.Comparable() {
		t.Finding = r.Caution()
	}
	for _, column := range l.columns {
		t.Columns = append(t.Columns, figures.Column{Title: column, Decimals: 3})
	}
	for i, name := range l.maps {
		cells := []figures.Cell{figures.Text(name.String())}
		for j, values := range l.values[i] {
			if name == equivariant.IdentityMap {
				floats.AddConst(1, values)
			}
			cell := experiments.Interval{}.Cell(values)
			if compared && j < len(printedWeights) {
				cell = cell.Published(figures.Number(paperWeight(name, printedWeights[j])))
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, nil
}

// printedWeights names the columns of weights that the paper prints.
var printedWeights = []string{firstLayer, "layer 1, A'", "layer 2, A", "layer 2, A'"}

const firstLayer = "layer 1, A"

// paperWeight returns the value that the paper prints for a map's weight after training on heat; NaN if it prints
// none.
func paperWeight(m equivariant.Map, column string) float64 {
	n, _ := catalogue.Published("weights", m.String(), column)
	return n.Value
}

const publishedWeightsNote = "The paper prints its values for heat, without saying for which family."

// publishedWeightsTable returns the paper's weights without ours.
func publishedWeightsTable() *figures.Table {
	t := &figures.Table{Title: "Learnt weights of the maps: heat, PENG-CDE", Columns: []figures.Column{{Title: "map"}},
		Notes: []string{publishedWeightsNote}}
	for _, title := range printedWeights {
		t.Columns = append(t.Columns, figures.Column{Title: title + ", paper", Decimals: 3})
	}
	for _, m := range equivariant.Published8() {
		cells := []figures.Cell{figures.Text(m.String())}
		for _, column := range printedWeights {
			cells = append(cells, figures.Number(paperWeight(m, column)))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// WeightsMap draws the means of [Worlds.Weights] as colours, with the fixed 1 subtracted from the identity. Means whose
// interval over seeds includes 0 have a dot.
func (w Worlds) WeightsMap(r *experiments.Report, dynamics, family, model string) (*figures.Figure, error) {
	l, err := newLearnt(r, dynamics, family, model)
	if err != nil {
		return nil, err
	}
	grid, seeds := figures.Grid{Diverging: true, Columns: l.columns}, len(l.values[0][0])
	for i, name := range l.maps {
		grid.Rows = append(grid.Rows, name.String())
		var row []float64
		var undecided []bool
		for _, values := range l.values[i] {
			row = append(row, stat.Mean(values, nil))
			undecided = append(undecided, seeds > 1 && stats.MeanP(values) > stats.Level)
		}
		grid.Values, grid.Undecided = append(grid.Values, row), append(grid.Undecided, undecided)
	}
	note := "One seed."
	if seeds > 1 {
		note = fmt.Sprintf("Means over %d seeds; a dot marks a mean whose 95%% interval includes 0.", seeds)
	}
	axes := figures.Axes{Title: fmt.Sprintf("Learnt weights: %s, %s graphs", dynamics, family),
		Colour: "weight, the identity's less 1", Notes: []string{note}}
	return figures.HeatMap(axes, grid)
}
