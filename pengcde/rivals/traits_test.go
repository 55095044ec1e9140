package rivals_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
)

// models are all models of this module, as docs/rivals.md names them.
var models = []struct {
	name   string
	config pengcde.Config
}{
	{"PENG-CDE", pengcde.Config{}},
	{"Original GN-CDE", pengcde.Config{Field: field.Original{}}},
	{"Adjacency GN-CDE", pengcde.Config{Field: field.Adjacency{}}},
	{"Pre-Mult GN-CDE", pengcde.Config{Field: field.PreMult{}}},
	{"GN-ODE", pengcde.Config{Field: field.GNODE{}}},
	{"Constant", pengcde.Config{Field: field.Constant{}}},
	{"STG-NCDE", pengcde.Config{Field: rivals.STGNCDE{}}},
	{"DCRNN", pengcde.Config{Network: rivals.DCRNN{}}},
	{"DCRNN, published", pengcde.Config{Network: rivals.DCRNN{Published: true}}},
	{"ASTGCN", pengcde.Config{Network: rivals.ASTGCN{Filters: 8}}},
	{"ASTGCN, published", pengcde.Config{Network: rivals.ASTGCN{Filters: 8, Published: true}}},
	{"STIDGCN", pengcde.Config{Network: rivals.STIDGCN{}}},
	{"STIDGCN, published", pengcde.Config{Network: rivals.STIDGCN{Published: true}}},
}

// network returns a directed graph of the given number of nodes, with weights that change, two features and a target.
func network(t *testing.T, nodes int) *dyngraph.Series {
	t.Helper()
	s, rng := &dyngraph.Series{Name: "network", FeatureSize: 2, TargetSize: 1}, rand.New(rand.NewPCG(1, 2))
	var from, to []int
	for u := range nodes {
		from, to = append(from, u, u), append(to, (u+1)%nodes, (u+2)%nodes)
	}
	var err error
	if s.Pattern, _, err = dyngraph.NewPattern(nodes, from, to); err != nil {
		t.Fatal(err)
	}
	draw := func(count int) []float64 {
		x := make([]float64, count)
		for i := range x {
			x[i] = rng.Float64()
		}
		return x
	}
	for k := range 6 {
		s.Times = append(s.Times, float64(k))
		s.Weights, s.Targets = append(s.Weights, draw(2*nodes)), append(s.Targets, draw(nodes))
		s.Features = append(s.Features, draw(2*nodes))
	}
	return s
}

// relabelled returns the series with node u renamed to order[u].
func relabelled(t *testing.T, s *dyngraph.Series, order []int) *dyngraph.Series {
	t.Helper()
	moved := *s
	from, to := make([]int, len(s.Pattern.From)), make([]int, len(s.Pattern.From))
	for e := range from {
		from[e], to[e] = order[s.Pattern.From[e]], order[s.Pattern.To[e]]
	}
	var err error
	if moved.Pattern, _, err = dyngraph.NewPattern(len(order), from, to); err != nil {
		t.Fatal(err)
	}
	moved.Weights, moved.Features, moved.Targets = nil, nil, nil
	for k := range s.Times {
		weights := make([]float64, len(from))
		for e, w := range s.Weights[k] {
			for index := range weights {
				if int(moved.Pattern.From[index]) == from[e] && int(moved.Pattern.To[index]) == to[e] {
					weights[index] = w
				}
			}
		}
		features, targets := make([]float64, len(s.Features[k])), make([]float64, len(s.Targets[k]))
		for u, other := range order {
			copy(features[other*s.FeatureSize:], s.Features[k][u*s.FeatureSize:(u+1)*s.FeatureSize])
			targets[other] = s.Targets[k][u]
		}
		moved.Weights, moved.Features = append(moved.Weights, weights), append(moved.Features, features)
		moved.Targets = append(moved.Targets, targets)
	}
	return &moved
}

// single returns a series like s with one edge, 0 -> 1, and at all times other features of one node; -1 for none.
func single(t *testing.T, s *dyngraph.Series, node int) *dyngraph.Series {
	t.Helper()
	one := *s
	var err error
	if one.Pattern, _, err = dyngraph.NewPattern(s.Nodes(), []int{0}, []int{1}); err != nil {
		t.Fatal(err)
	}
	one.Weights, one.Features = nil, nil
	for k, row := range s.Features {
		row = slices.Clone(row)
		if node >= 0 {
			row[node*s.FeatureSize] += 0.5
		}
		one.Weights, one.Features = append(one.Weights, s.Weights[k][:1]), append(one.Features, row)
	}
	return &one
}

// hears says which ends of an edge 0 -> 1 hear from the other: whose forecast changes with the other's features.
func hears(t *testing.T, s *dyngraph.Series, forecast func(*dyngraph.Series) []float64) string {
	t.Helper()
	before := forecast(single(t, s, -1))
	at := func(end int) bool { return forecast(single(t, s, 1-end))[end] != before[end] }
	switch source, destination := at(0), at(1); {
	case source && destination:
		return "both ends"
	case source:
		return "the source"
	case destination:
		return "the destination"
	}
	return "neither"
}

// The table of docs/rivals.md is right about which models read the graph, who hears from whom, which models follow a
// relabelling of the nodes, and which have parameters of each node or observation.
func TestTraits(t *testing.T) {
	page, err := os.ReadFile("../../docs/rivals.md")
	if err != nil {
		t.Fatal(err)
	}
	const nodes, length = 6, 5
	s, order := network(t, nodes), []int{3, 0, 5, 1, 2, 4}
	reweighted := *s
	reweighted.Weights = slices.Clone(s.Weights)
	reweighted.Weights[2] = slices.Clone(s.Weights[2])
	reweighted.Weights[2][4] += 0.5
	moved := relabelled(t, s, order)
	for _, m := range models {
		// made returns the model for the given numbers of nodes and observations, and its forecast of a window.
		made := func(nodes, length int, s *dyngraph.Series) (parameters int, forecast []float64) {
			t.Helper()
			c := m.config
			c.Nodes, c.Features, c.Float64, c.Notices, c.Seed = nodes, 2, true, io.Discard, 1
			if c.Network != nil {
				c.Inputs = length - 1
			} else {
				c.Hidden, c.Step = 4, 0.5
			}
			model, err := pengcde.New(xlatest.Go(t), c)
			if err != nil {
				t.Fatal(m.name, err)
			}
			defer model.Close()
			y, err := model.Predict(t.Context(), dyngraph.Window{Series: s, Length: length}, nil)
			if err != nil {
				t.Fatal(m.name, err)
			}
			return model.Parameters(), y.Values
		}
		parameters, forecast := made(nodes, length, s)
		_, other := made(nodes, length, &reweighted)
		_, same := made(nodes, length, moved)
		larger, _ := made(nodes+1, length, network(t, nodes+1))
		longer, _ := made(nodes, length+1, s)
		off := 0.0
		for u, y := range forecast {
			off = max(off, math.Abs(same[order[u]]-y))
		}
		if !(off <= 1e-9 || off >= 1e-6) {
			t.Errorf("%s: relabelling moves forecasts by %g: rounding, or not?", m.name, off)
		}
		reads, heard := !slices.Equal(forecast, other), "–"
		if reads {
			heard = hears(t, s, func(s *dyngraph.Series) []float64 {
				_, y := made(nodes, length, s)
				return y
			})
		}
		if f, ok := m.config.Field.(field.Traiter); ok && f.Traits().OneWay != (heard == "the source") {
			t.Errorf("%s: by an edge %s hears, and its trait OneWay is %v", m.name, heard, f.Traits().OneWay)
		}
		row := fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", m.name, yes(reads), heard, yes(off <= 1e-9),
			yes(larger != parameters), yes(longer != parameters))
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/rivals.md does not say\n%s", row)
		}
	}
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
