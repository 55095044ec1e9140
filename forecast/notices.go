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

// graphNotices returns what a user would want to read about a network on the graphs of a series. [pengcde.Model.Fit]
// tells of weights that are too small.
func graphNotices(name string, model pengcde.Config, s *dyngraph.Series) []string {
	var traits field.Traits
	if f, ok := model.Field.(field.Traiter); ok {
		traits = f.Traits()
	}
	switch {
	case traits.NoGraph:
		return nil
	case !joined(s):
		return []string{"no snapshot has a weight between two nodes, so the model sees no graph: all weights are 0, or " +
			"all edges are self-loops; look at Weight, From and To of the edges (--weight, --source and --destination of " +
			"pengcde fit)"}
	case traits.OneWay && !symmetric(s):
		return []string{fmt.Sprintf("in %s a node hears only from the nodes that its edges lead to, and this graph is not "+
			"symmetric: if it should hear from the nodes whose edges lead to it, exchange From and To of the edges (--source "+
			"and --destination of pengcde fit), or take the model peng-cde, which hears from both", name)}
	}
	return nil
}

// joined reports whether a snapshot has a weight between two nodes.
func joined(s *dyngraph.Series) bool {
	return slices.ContainsFunc(s.Weights, func(row []float64) bool {
		for e, w := range row {
			if w != 0 && s.Pattern.From[e] != s.Pattern.To[e] {
				return true
			}
		}
		return false
	})
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
