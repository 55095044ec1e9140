package pengcde_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// kinds are the models whose input is tested: a line for each kind that there is.
var kinds = []struct {
	name string
	pengcde.Config
}{
	{"peng", pengcde.Config{}},
	{"original", pengcde.Config{Field: field.Original{}}},
	{"adjacency", pengcde.Config{Field: field.Adjacency{}}},
	{"pre-mult", pengcde.Config{Field: field.PreMult{}}},
	{"gn-ode", pengcde.Config{Field: field.GNODE{}}},
	{"constant", pengcde.Config{Field: field.Constant{}}},
	{"stg-ncde", pengcde.Config{Field: rivals.STGNCDE{}}},
	{"own network", pengcde.Config{Network: neighbours{Hidden: 3}}},
	{"dcrnn", pengcde.Config{Network: rivals.DCRNN{Hidden: 3, Order: 2}}},
	{"dcrnn as published", pengcde.Config{Network: rivals.DCRNN{Hidden: 3, Order: 2, Published: true}}},
	{"astgcn", pengcde.Config{Network: rivals.ASTGCN{Filters: 3},
		Input: pengcde.Input{Inputs: 4}}},
	{"astgcn as published", pengcde.Config{Network: rivals.ASTGCN{Published: true},
		Input: pengcde.Input{Inputs: 4}}},
	{"stidgcn", pengcde.Config{Network: rivals.STIDGCN{Channels: 2},
		Input: pengcde.Input{Inputs: 4}}},
	{"stidgcn as published", pengcde.Config{Network: rivals.STIDGCN{Channels: 2, Published: true},
		Input: pengcde.Input{Inputs: 4}}},
}

// eachKind makes a model of each kind for series of 5 nodes with 2 features.
func eachKind(t *testing.T, test func(t *testing.T, m *pengcde.Model)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			config := kind.Config
			config.Nodes, config.Features, config.Notices = 5, 2, io.Discard
			if config.Network == nil {
				config.Hidden, config.Layers, config.Step = 2, 1, 1
			}
			m, err := pengcde.New(xlatest.Go(t), config)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			test(t, m)
		})
	}
}

// Every kind of model of this module is read again from the JSON of its configuration, one of another module is named.
func TestConfigOfEachKindIsJSON(t *testing.T) {
	eachKind(t, func(t *testing.T, m *pengcde.Model) {
		text, err := json.Marshal(m.Config())
		if err != nil {
			t.Fatal(err)
		}
		want, got := m.Config(), pengcde.Config{}
		err = json.Unmarshal(text, &got)
		if _, own := want.Network.(neighbours); own {
			if !errors.Is(err, pengcde.ErrInput) || !strings.Contains(err.Error(), "pengcde_test.neighbours") {
				t.Errorf("%v, want ErrInput with the network's name", err)
			}
			return
		}
		if err != nil || !reflect.DeepEqual(got.Network, want.Network) ||
			!reflect.DeepEqual(got.Field, want.Field) || got.Inputs != want.Inputs {
			t.Errorf("%s became %+v (%v)", text, got, err)
		}
	})
}

// chain is a series of nodes in a row with features, and targets to learn.
func chain(t *testing.T, nodes, features, snapshots int) *dyngraph.Series {
	t.Helper()
	s := &dyngraph.Series{Name: "chain", FeatureSize: features, TargetSize: 1}
	var from, to []int
	for u := range nodes - 1 {
		from, to = append(from, u), append(to, u+1)
	}
	var err error
	if s.Pattern, _, err = dyngraph.NewPattern(nodes, from, to); err != nil {
		t.Fatal(err)
	}
	values := func(count, k int) []float64 {
		row := make([]float64, count)
		for i := range row {
			row[i] = 1 + 0.5*math.Sin(float64(k+i))
		}
		return row
	}
	for k := range snapshots {
		s.Times = append(s.Times, float64(k))
		s.Weights = append(s.Weights, values(nodes-1, k))
		s.Features, s.Targets = append(s.Features, values(nodes*features, k)), append(s.Targets, values(nodes, k+1))
	}
	return s
}

// looped has a self-loop of weight 0 at its first node, and no other edge.
func looped(t *testing.T, s *dyngraph.Series) {
	t.Helper()
	var err error
	if s.Pattern, _, err = dyngraph.NewPattern(s.Nodes(), []int{0}, []int{0}); err != nil {
		t.Fatal(err)
	}
	for k := range s.Weights {
		s.Weights[k] = []float64{0}
	}
}

func fill(rows [][]float64, x float64) {
	for _, row := range rows {
		for i := range row {
			row[i] = x
		}
	}
}

// Input that no model can use is an error of Predict and of Fit that wraps ErrInput, for every kind of model.
func TestBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	length := func(inputs int) func(*dyngraph.Series) dyngraph.Window {
		return func(s *dyngraph.Series) dyngraph.Window { return dyngraph.Window{Series: s, Length: inputs + 1} }
	}
	after := func(change func(*dyngraph.Series)) func(*dyngraph.Series) dyngraph.Window {
		return func(s *dyngraph.Series) dyngraph.Window {
			change(s)
			return dyngraph.Window{Series: s, Length: 5}
		}
	}
	cases := map[string]func(*dyngraph.Series) dyngraph.Window{
		"no series":          func(*dyngraph.Series) dyngraph.Window { return dyngraph.Window{Length: 5} },
		"one input":          length(1),
		"no input":           length(0),
		"more than there is": length(9),
		"one snapshot":       func(*dyngraph.Series) dyngraph.Window { return chain(t, 5, 2, 1).Whole() },
		"one snapshot of two": func(s *dyngraph.Series) dyngraph.Window {
			return dyngraph.Window{Series: s, Start: 7, Length: 1, Whole: true}
		},
		"one snapshot to go on from": func(*dyngraph.Series) dyngraph.Window {
			w, err := chain(t, 5, 2, 1).Latest(1)
			if err != nil {
				t.Fatal(err)
			}
			return w
		},
		"no edges": after(func(s *dyngraph.Series) {
			s.Pattern, s.Weights = &dyngraph.Pattern{Nodes: 5}, make([][]float64, len(s.Times))
		}),
		"one feature":      after(func(s *dyngraph.Series) { *s = *chain(t, 5, 1, 8) }),
		"three features":   after(func(s *dyngraph.Series) { *s = *chain(t, 5, 3, 8) }),
		"four nodes":       after(func(s *dyngraph.Series) { *s = *chain(t, 4, 2, 8) }),
		"six nodes":        after(func(s *dyngraph.Series) { *s = *chain(t, 6, 2, 8) }),
		"nothing observed": after(func(s *dyngraph.Series) { fill(s.Features, nan) }),
		"a node never observed": after(func(s *dyngraph.Series) {
			for _, row := range s.Features {
				row[3] = nan
			}
		}),
		"infinite feature": after(func(s *dyngraph.Series) { s.Features[1][4] = -inf }),
		"infinite weight":  after(func(s *dyngraph.Series) { s.Weights[1][2] = inf }),
		"missing weight":   after(func(s *dyngraph.Series) { s.Weights[2][0] = nan }),
		"infinite target":  after(func(s *dyngraph.Series) { s.Targets[4][0] = inf }),
		"times that stop":  after(func(s *dyngraph.Series) { s.Times[2] = s.Times[1] }),
		"infinite time":    after(func(s *dyngraph.Series) { s.Times[7] = inf }),
		"features cut off": after(func(s *dyngraph.Series) { s.Features = s.Features[:2] }),
		"a row cut off":    after(func(s *dyngraph.Series) { s.Features[1] = s.Features[1][:4] }),
	}
	eachKind(t, func(t *testing.T, m *pengcde.Model) {
		ctx, once := context.Background(), train.Config{Epochs: 1, EvaluateEvery: -1}
		for name, change := range cases {
			w := change(chain(t, 5, 2, 8))
			if _, err := m.Predict(ctx, w, nil); !errors.Is(err, pengcde.ErrInput) {
				t.Errorf("%s: forecast: %v, want ErrInput", name, err)
			}
			if report, err := m.Fit(ctx, []dyngraph.Window{w}, nil, once); !errors.Is(err, pengcde.ErrInput) || report != nil {
				t.Errorf("%s: training: %v, want ErrInput", name, err)
			}
		}
		s := chain(t, 5, 2, 8)
		mixed := []dyngraph.Window{{Series: s, Length: 5}, {Series: s, Length: 6}}
		once.BatchSize = 2
		if _, err := m.Fit(ctx, mixed, nil, once); !errors.Is(err, pengcde.ErrInput) {
			t.Errorf("a batch of windows with 4 and 5 inputs: %v, want ErrInput", err)
		}
		untold := chain(t, 5, 2, 8)
		fill(untold.Targets, nan)
		if _, err := m.Fit(ctx, []dyngraph.Window{{Series: untold, Length: 5}}, nil, once); !errors.Is(err,
			pengcde.ErrInput) {
			t.Errorf("no target: %v, want ErrInput", err)
		}
	})
}

// Unusual but valid input gives finite numbers in training and forecasts with every kind of model: missing values are
// filled, and a node without edges sees only itself.
func TestOddInput(t *testing.T) {
	nan := math.NaN()
	cases := map[string]func(*dyngraph.Series){
		"some features missing": func(s *dyngraph.Series) {
			s.Features[0][1], s.Features[2][1], s.Features[3][9] = nan, nan, nan
		},
		"some targets missing": func(s *dyngraph.Series) { s.Targets[4][2] = nan },
		"isolated nodes": func(s *dyngraph.Series) {
			for _, row := range s.Weights {
				row[0], row[3] = 0, 0
			}
		},
		"no edge in one snapshot":    func(s *dyngraph.Series) { fill(s.Weights[2:3], 0) },
		"no edge in any snapshot":    func(s *dyngraph.Series) { fill(s.Weights, 0) },
		"a self-loop of weight 0":    func(s *dyngraph.Series) { looped(t, s) },
		"features that are constant": func(s *dyngraph.Series) { fill(s.Features, 1) },
		"features that are 0":        func(s *dyngraph.Series) { fill(s.Features, 0) },
	}
	eachKind(t, func(t *testing.T, m *pengcde.Model) {
		ctx := context.Background()
		for name, change := range cases {
			s := chain(t, 5, 2, 8)
			change(s)
			w := dyngraph.Window{Series: s, Length: 5}
			report, err := m.Fit(ctx, []dyngraph.Window{w}, nil, train.Config{Epochs: 2, EvaluateEvery: -1})
			if err != nil {
				t.Errorf("%s: training: %v", name, err)
				continue
			}
			y, err := m.Predict(ctx, w, nil)
			if err != nil || len(y.Values) != 5 {
				t.Errorf("%s: forecast %v (%v)", name, y, err)
				continue
			}
			numbers := append(y.Values, report.Epochs[0].TrainLoss, report.Epochs[1].GradientNorm)
			for _, x := range numbers {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s: forecasts, loss and norm of the gradient are %v", name, numbers)
					break
				}
			}
		}
	})
}
