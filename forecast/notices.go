package forecast

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/tabular"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// Notices returns texts about a series that the recipe read, and about forecasts from it by [Model.Ahead], that a user
// would want to read: forecasts at no known time, snapshots with another spacing than the model's, and negative
// forecasts of a target that never is negative.
func (m *Model) Notices(series *dyngraph.Series, ahead []Forecast) ([]string, error) {
	series, err := m.prepared(series)
	if err != nil {
		return nil, err
	}
	texts := []string{m.uneven(series), m.otherSpacing(series), m.negative(ahead)}
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" }), nil
}

// uneven tells that forecasts have no time; "" if they have one.
func (m *Model) uneven(s *dyngraph.Series) string {
	if (calendar{s, m.unit}).text(len(s.Times)) != "" {
		return ""
	}
	return fmt.Sprintf("snapshots are not evenly spaced: forecasts are so many snapshots ahead, at no time that could be "+
		"told; a Step with WithoutEdges Hold (pengcde fit --step %v --without-edges hold) makes snapshots of one length",
		m.spacing())
}

// spacing returns the median time between the snapshots that the model was made from.
func (m *Model) spacing() table.Step {
	if m.Recipe.Dated {
		return table.Step{Duration: time.Duration(m.unit * float64(m.Recipe.TimeUnit)).Round(time.Microsecond)}
	}
	return table.Step{Number: withoutRounding(m.unit)}
}

// otherSpacing tells that the median time between snapshots is not about the model's, 1; "" if it is. The months of a
// year are about the same.
func (m *Model) otherSpacing(s *dyngraph.Series) string {
	const most = 1.5
	if len(s.Times) < 2 {
		return ""
	}
	if gap := medianGap(s.Times); gap > most || gap < 1/most {
		return fmt.Sprintf("snapshots are %.3g times as far apart as those that the model was made from, which are %v "+
			"apart: its forecasts are of such steps and mean little here; give files with that spacing, or fit a model to these",
			gap, m.spacing())
	}
	return ""
}

// negative tells of forecasts below 0 of targets that never are; "" if there is none.
func (m *Model) negative(ahead []Forecast) string {
	below, all := 0, 0
	for _, f := range ahead {
		for _, value := range f.Values {
			if !known(value) {
				continue
			}
			if all++; value < f.least {
				below++
			}
		}
	}
	if below == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d forecasts are below 0, where no value of the data is: with Scale Log1p (pengcde fit "+
		"--scale log1p) none would be", below, all)
}

// graphNotices returns what a user would want to read about a network on the graphs of a series.
func graphNotices(name string, model pengcde.Config, s *dyngraph.Series) []string {
	if _, none := model.Field.(field.Constant); none {
		return nil
	}
	sums := outgoing(s)
	if len(sums) == 0 {
		return []string{"no snapshot has a weight between two nodes, so the model sees no graph: all weights are 0, or " +
			"all edges are self-loops; look at Weight, From and To of the edges (--weight, --source and --destination of " +
			"pengcde fit)"}
	}
	texts := []string{smallWeights(model, sums), oneWay(name, model, s)}
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// outgoing returns, sorted, the sums of the weights from a node to others, of all snapshots and nodes that have some.
func outgoing(s *dyngraph.Series) (sums []float64) {
	from := make([]float64, s.Nodes())
	for _, row := range s.Weights {
		clear(from)
		for e, w := range row {
			if s.Pattern.From[e] != s.Pattern.To[e] {
				from[s.Pattern.From[e]] += math.Abs(w)
			}
		}
		sums = append(sums, from...)
	}
	sums = slices.DeleteFunc(sums, func(sum float64) bool { return sum == 0 })
	slices.Sort(sums)
	return sums
}

// smallWeights tells that weights vanish beside the self-loops that the normalised adjacency adds; "" if they do not.
func smallWeights(model pengcde.Config, sums []float64) string {
	const small = 0.1
	median := sums[len(sums)/2]
	if model.Network != nil || median >= small {
		return ""
	}
	return fmt.Sprintf("the weights from a node sum to %.2g in the median, and each node gets a self-loop of 1 beside "+
		"them, so the model hardly sees the graph: multiply the weights by about %s, so that the sums are about 1", median,
		tabular.FormatNumber(tabular.Rounded(1/median, 1)))
}

// oneWay tells that a network hears along one direction of the edges of a graph that is not symmetric; "" if not.
func oneWay(name string, model pengcde.Config, s *dyngraph.Series) string {
	f, ok := model.Field.(field.Traiter)
	if !ok || !f.Traits().OneWay || symmetric(s) {
		return ""
	}
	return fmt.Sprintf("in %s a node hears only from the nodes that its edges lead to, and this graph is not symmetric: "+
		"if it should hear from the nodes whose edges lead to it, exchange From and To of the edges (--source and "+
		"--destination of pengcde fit), or take the model peng-cde, which hears from both", name)
}

// symmetric reports whether every edge has the weight of its opposite, up to rounding.
func symmetric(s *dyngraph.Series) bool {
	const rounding = 1e-12
	index := make(map[[2]int32]int, s.Pattern.Edges())
	for e, from := range s.Pattern.From {
		index[[2]int32{from, s.Pattern.To[e]}] = e
	}
	for _, row := range s.Weights {
		for e, w := range row {
			opposite := 0.0
			if other, ok := index[[2]int32{s.Pattern.To[e], s.Pattern.From[e]}]; ok {
				opposite = row[other]
			}
			if math.Abs(w-opposite) > rounding*math.Abs(w) {
				return false
			}
		}
	}
	return true
}

// missing explains an error about a model file that does not exist.
func missing(path string, err error) error {
	return errs.New(errors.Join(err, ErrInput), "forecast: no file %s, want a model that pengcde fit wrote: its folder, "+
		"or its %s", path, ModelFile)
}
