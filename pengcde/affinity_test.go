package pengcde

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

const tradeNodes, tradeClasses, tradeYears = 6, 4, 9

// trade returns a series of shares that drift. Each node has edges to some other nodes; its row holds the edges to the
// first tradeClasses nodes. Node 5 has no row in odd years.
func trade(t *testing.T, order []int) *dyngraph.Series {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var from, to []int
	for u := range tradeNodes {
		for v := range tradeNodes {
			if u != v && (u+2*v)%5 != 0 {
				from, to = append(from, u), append(to, v)
			}
		}
	}
	size := make([]float64, len(from))
	for e := range size {
		size[e] = random.Float64()
	}
	renamed := func(all []int) (names []int) {
		for _, u := range all {
			names = append(names, order[u])
		}
		return names
	}
	s := &dyngraph.Series{Name: "trade", FeatureSize: 1, Classes: tradeClasses}
	var index []int
	var err error
	if s.Pattern, index, err = dyngraph.NewPattern(tradeNodes, renamed(from), renamed(to)); err != nil {
		t.Fatal(err)
	}
	for k := range tradeYears {
		weights := make([]float64, len(from))
		for e := range size {
			size[e] *= math.Exp(0.3 * random.NormFloat64())
			if from[e] != 5 || k%2 == 0 {
				weights[index[e]] = size[e]
			}
		}
		s.Times, s.Weights = append(s.Times, float64(k)), append(s.Weights, weights)
		s.Features = append(s.Features, slices.Repeat([]float64{1}, tradeNodes))
	}
	for k := range s.Times {
		s.Affinities = append(s.Affinities, outgoing(s, k))
		s.Prior = append(s.Prior, priorOf(s.Affinities))
	}
	return s
}

// outgoing returns the weights of a snapshot's edges to classes as affinities.
func outgoing(s *dyngraph.Series, snapshot int) *dyngraph.Affinities {
	a := &dyngraph.Affinities{Start: []int{0}}
	for e, weight := range s.Weights[snapshot] {
		from, to := s.Pattern.From[e], s.Pattern.To[e]
		if weight == 0 || to >= tradeClasses {
			continue
		}
		if last := len(a.Nodes) - 1; last < 0 || a.Nodes[last] != from {
			a.Nodes, a.Start = append(a.Nodes, from), append(a.Start, len(a.Classes))
		}
		a.Classes, a.Values = append(a.Classes, to), append(a.Values, weight)
		a.Start[len(a.Nodes)] = len(a.Classes)
	}
	return a
}

// priorOf returns the newest row of each node as logits, log(1 + 10⁴ a). Its terms are the sum over all rows, the
// root of the sum, and the newest value.
func priorOf(all []*dyngraph.Affinities) *dyngraph.Affinities {
	prior := &dyngraph.Affinities{Start: []int{0}, Terms: head.PriorTerms}
	for node := range tradeNodes {
		newest, sum := make([]float64, tradeClasses), make([]float64, tradeClasses)
		for _, rows := range all {
			for i := range rows.Rows() {
				if u, classes, values := rows.Row(i); u == node {
					clear(newest)
					for k, class := range classes {
						newest[class] = values[k]
						sum[class] += values[k]
					}
				}
			}
		}
		prior.Nodes = append(prior.Nodes, int32(node))
		for class, value := range sum {
			if value > 0 {
				prior.Classes = append(prior.Classes, int32(class))
				prior.Values = append(prior.Values, math.Log1p(1e4*newest[class]), value, math.Sqrt(value), newest[class])
			}
		}
		prior.Start = append(prior.Start, len(prior.Classes))
	}
	return prior
}

var inOrder = []int{0, 1, 2, 3, 4, 5}

// affine adapts a configuration to [trade].
func affine(change func(*Config)) func(*Config) {
	return func(c *Config) {
		c.Nodes, c.Features, c.Outputs, c.Head, c.RowFeatures = tradeNodes, 1, tradeClasses, head.Ranking{}, 2
		c.Normalise, c.Hidden = dyngraph.Raw, 3
		if change != nil {
			change(c)
		}
	}
}

var affineModels = map[string]func(*Config){
	"peng":     affine(nil),
	"sparse":   affine(func(c *Config) { c.Product = equivariant.Sparse }),
	"linear":   affine(func(c *Config) { c.LinearCoders = true }),
	"pairs":    affine(func(c *Config) { c.Head = head.Ranking{Pairs: true} }),
	"residual": affine(func(c *Config) { c.Head = head.Ranking{Pairs: true, Residual: true} }),
	"original": affine(func(c *Config) { c.Field, c.Head = field.Original{}, head.Ranking{Residual: true} }),
	"stg-ncde": affine(func(c *Config) { c.Field = rivals.STGNCDE{} }),
	"gn-ode":   affine(func(c *Config) { c.Field = field.GNODE{} }),
	"features": affine(func(c *Config) { c.RowFeatures, c.Head = 0, head.Ranking{Pairs: true} }),
	"11 maps": affine(func(c *Config) {
		maps, derivative := equivariant.Published11()
		c.Field = field.PENG{Maps: maps, DerivativeMaps: derivative}
	}),
	"identities": affine(func(c *Config) { c.Field = field.PENG{Identities: equivariant.Identities{Size: 2}} }),
}

// The loss is the cross-entropy of the rows with the logits of their nodes. Its gradient, to which every parameter
// contributes, agrees with differences. One window of the batch has rows of fewer nodes than the others.
func TestAffinity(t *testing.T) {
	s := trade(t, inOrder)
	windows := []dyngraph.Window{{Series: s, Start: 1, Length: 4}, {Series: s, Start: 2, Length: 4}}
	for name, change := range affineModels {
		t.Run(name, func(t *testing.T) {
			m := ringModel(t, func(c *Config) { change(c); c.Float64 = true })
			random := rand.New(rand.NewPCG(1, 2))
			for i, p := range m.declared { // a residual readout starts at 0
				values := host.Floats(m.params[i])
				for k := range values {
					values[k] += 0.1 * random.NormFloat64()
				}
				xla.Free(m.params[i])
				m.params[i] = host.Tensor(m.config.dtype(), values, p.Dims...)
			}
			want := 0.0
			for _, w := range windows {
				y, err := m.Predict(context.Background(), w, nil)
				if err != nil {
					t.Fatal(err)
				}
				if shape(y) != [3]int{1, tradeNodes, tradeClasses} {
					t.Fatalf("logits %v", y)
				}
				rows := w.Affinities()
				for i := range rows.Rows() {
					node, classes, values := rows.Row(i)
					logits := y.Node(0, node)
					for k, class := range classes {
						want += values[k] * (floats.LogSumExp(logits) - logits[class]) / float64(rows.Rows()*len(windows))
					}
				}
			}
			checkLoss(t, m, windows, want)
		})
	}
}

// An untrained residual model ranks by the newest row of each node.
func TestAffinityBeginsWithTheNewestRow(t *testing.T) {
	s := trade(t, inOrder)
	for _, pairs := range []bool{false, true} {
		m := ringModel(t, affine(func(c *Config) { c.Head, c.Float64 = head.Ranking{Pairs: pairs, Residual: true}, true }))
		y, err := m.Predict(context.Background(), dyngraph.Window{Series: s, Start: 1, Length: 4}, nil) // inputs 1 to 3
		if err != nil {
			t.Fatal(err)
		}
		for node := range y.Nodes {
			newest := s.Affinities[3]
			if node == 5 {
				newest = s.Affinities[2]
			}
			want := make([]float64, tradeClasses)
			for i := range newest.Rows() {
				if u, classes, values := newest.Row(i); u == node {
					for k, class := range classes {
						want[class] = math.Log1p(1e4 * values[k])
					}
				}
			}
			fixture.Close(t, "logits", y.Node(0, node), want, 1e-12)
		}
	}
}

// With Pairs and without RowFeatures, relabelling the nodes relabels the logits.
func TestAffinityOfRelabelledNodes(t *testing.T) {
	order := []int{2, 0, 3, 1, 5, 4} // classes stay classes
	logits := func(order []int) dyngraph.Forecasts {
		m := ringModel(t, affine(func(c *Config) { c.RowFeatures, c.Head, c.Float64 = 0, head.Ranking{Pairs: true}, true }))
		y, err := m.Predict(context.Background(), dyngraph.Window{Series: trade(t, order), Length: 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	plain, renamed := logits(inOrder), logits(order)
	for u := range tradeNodes {
		for v := range tradeClasses {
			fixture.Close(t, "logit", []float64{renamed.At(0, order[u], order[v])},
				[]float64{plain.At(0, u, v)}, 1e-12)
		}
	}
}

// Forecasts of a window do not depend on the rows and edges of its last snapshot or later.
func TestAffinitySeesNothingOfTheLastSnapshot(t *testing.T) {
	m := ringModel(t, affine(func(c *Config) { c.Head = head.Ranking{Pairs: true, Residual: true} }))
	logits := func(change bool) []float64 {
		s := trade(t, inOrder)
		for k := 4; k < tradeYears && change; k++ {
			for e := range s.Weights[k] {
				s.Weights[k][e] = 7
			}
			s.Affinities[k] = outgoing(s, k)
			s.Prior[k] = priorOf(s.Affinities[:k+1])
		}
		y, err := m.Predict(context.Background(), dyngraph.Window{Series: s, Start: 1, Length: 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return y.Values
	}
	if a, b := logits(false), logits(true); !slices.Equal(a, b) {
		t.Errorf("%v, with other weights from the forecast time on %v", a, b)
	}
}

// A model learns, is saved and loaded, and plans its memory.
func TestAffinityLearnsSavesAndLoads(t *testing.T) {
	ctx := context.Background()
	s := trade(t, inOrder)
	windows, err := s.Windows(4, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	m := ringModel(t, affine(nil))
	if plan, err := m.Plan(windows[:4], 2, 0); err != nil || plan.Temporary <= 0 {
		t.Errorf("plan %v, %v", plan, err)
	}
	report, err := m.Fit(ctx, windows[:4], windows[4:], train.Config{Epochs: 30, BatchSize: 2,
		AdamW: train.AdamW{LearningRate: 0.03}})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[len(report.Epochs)-1].TrainLoss; last > 0.95*first {
		t.Errorf("loss %g after %d epochs, %g at first", last, len(report.Epochs), first)
	}
	want, err := m.Predict(ctx, windows[4], nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(m.backend, file)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	got, err := loaded.Predict(ctx, windows[4], nil)
	if err != nil || !slices.Equal(got.Values, want.Values) {
		t.Errorf("the loaded model gives %v, %v, the saved one %v", got, err, want)
	}
}

func TestAffinityErrors(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"Parity": func(c *Config) { c.Parity = true },
		"Network": func(c *Config) {
			*c = Config{Nodes: 6, Features: 1, Head: head.Ranking{},
				Network: rivals.DCRNN{}}
		},
		"Pairs":       func(c *Config) { c.Head, c.Outputs = head.Ranking{Pairs: true}, tradeNodes+1 },
		"GraphOnly":   func(c *Config) { c.GraphOnly = true },
		"RowFeatures": func(c *Config) { c.RowFeatures = -1 },
	} {
		cfg := Config{}
		affine(change)(&cfg)
		if _, err := cfg.Resolved(); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := ringModel(t, affine(nil))
	good := dyngraph.Window{Series: trade(t, inOrder), Length: 4}
	for name, change := range map[string]func(*dyngraph.Series){
		"affinities at 0 snapshots": func(s *dyngraph.Series) { s.Affinities = nil },
		"to 3 classes":              func(s *dyngraph.Series) { s.Classes = 3 },
		"no affinities at":          func(s *dyngraph.Series) { s.Affinities[3] = nil },
		"class 7":                   func(s *dyngraph.Series) { s.Affinities[3].Classes[1] = 7 },
		"only Series.Prior":         func(s *dyngraph.Series) { s.Affinities[3].Terms = 1 },
		"affinity NaN":              func(s *dyngraph.Series) { s.Affinities[3].Values[0] = nan },
		"increase":                  func(s *dyngraph.Series) { s.Affinities[3].Nodes[1] = 0 },
		"a start more":              func(s *dyngraph.Series) { s.Affinities[3].Start = nil },
	} {
		s := trade(t, inOrder)
		change(s)
		_, err := m.Fit(context.Background(), []dyngraph.Window{{Series: s, Length: 4}}, nil,
			train.Config{Epochs: 1, EvaluateEvery: -1})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	residual := ringModel(t, affine(func(c *Config) { c.Head = head.Ranking{Residual: true} }))
	unknown := trade(t, inOrder)
	unknown.Prior[2] = nil // nothing is known at the window's last input
	if _, err := residual.Fit(context.Background(), []dyngraph.Window{{Series: unknown, Length: 4}}, nil,
		train.Config{Epochs: 1, EvaluateEvery: -1}); err != nil {
		t.Errorf("nothing known: %v", err)
	}
	unknown.Prior[2] = &dyngraph.Affinities{Start: []int{0}, Terms: head.PriorTerms + 1}
	if _, err := residual.Predict(context.Background(), dyngraph.Window{Series: unknown, Length: 4}, nil); err == nil ||
		!strings.Contains(err.Error(), "4 terms, want at most 3") {
		t.Errorf("too many terms: %v", err)
	}
	unknown.Prior = nil
	if _, err := residual.Predict(context.Background(), dyngraph.Window{Series: unknown, Length: 4}, nil); !errors.Is(err,
		ErrInput) {
		t.Errorf("no Prior: %v", err)
	}
	if _, err := m.Predict(context.Background(), good, []float64{0, 2}); !errors.Is(err, ErrInput) {
		t.Errorf("logits at other times: %v", err)
	}
	if _, err := m.Predict(context.Background(), good.Series.Whole(), nil); !errors.Is(err, ErrInput) {
		t.Errorf("logits of a whole series: %v", err)
	}
}

// Logits without terms forecast like logits whose terms are 0.
func TestPriorWithoutTerms(t *testing.T) {
	m := ringModel(t, affine(func(c *Config) { c.Head = head.Ranking{Residual: true} }))
	var forecasts [2]dyngraph.Forecasts
	for i, terms := range []int{0, head.PriorTerms} {
		s := trade(t, inOrder)
		for k, all := range s.Prior {
			prior := *all
			prior.Terms, prior.Values = terms, nil
			for e := range prior.Classes {
				logit := all.Values[e*(1+all.Terms)]
				prior.Values = append(append(prior.Values, logit), make([]float64, terms)...)
			}
			s.Prior[k] = &prior
		}
		var err error
		forecasts[i], err = m.Predict(context.Background(), dyngraph.Window{Series: s, Length: 4}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(forecasts[0], forecasts[1]) {
		t.Errorf("without terms %v, with terms of 0 %v", forecasts[0], forecasts[1])
	}
}
