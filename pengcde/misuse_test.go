package pengcde

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// halfHead overrides a method of the head that it embeds, but not Sized, which would lose it.
type halfHead struct{ head.Nodes }

func (halfHead) Loss(nn.Values, *Node, head.Inputs) (loss, penalty *Node) { panic("never called") }

// faulty is a head with the given faults.
type faulty struct {
	head.Nodes
	forecast func(z *Node) *Node
	loss     func(y *Node) (loss, penalty *Node)
}

func (f faulty) Sized(s head.Sizes) (head.Head, error) {
	nodes, err := f.Nodes.Sized(s)
	if err == nil {
		f.Nodes = nodes.(head.Nodes)
	}
	return f, err
}

func (f faulty) Forecast(v nn.Values, z *Node, in head.Inputs) *Node {
	if f.forecast != nil {
		return f.forecast(z)
	}
	return f.Nodes.Forecast(v, z, in)
}

func (f faulty) Loss(v nn.Values, y *Node, in head.Inputs) (loss, penalty *Node) {
	if f.loss != nil {
		return f.loss(y)
	}
	return f.Nodes.Loss(v, y, in)
}

// Heads whose own type is lost, or whose forecasts or losses have another shape than wanted, are errors and not
// silently broadcast.
func TestFaultyHeads(t *testing.T) {
	backend, split := xlatest.Go(t), ringSplit(t)
	config := Config{Nodes: ringNodes, Features: ringFeatures, Hidden: 4, Layers: 1, Head: halfHead{},
		Equation: Equation{Step: 1}}
	if _, err := New(backend, config); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "a pengcde.halfHead, whose Sized makes a head.Nodes") {
		t.Errorf("an embedded head without Sized: %v", err)
	}
	for says, h := range map[string]faulty{
		"want a scalar":     {loss: func(y *Node) (*Node, *Node) { return ReduceMean(Square(y), 2, 3), nil }},
		"the loss is nil":   {loss: func(*Node) (*Node, *Node) { return nil, nil }},
		"the penalty is":    {loss: func(y *Node) (*Node, *Node) { return ReduceAllMean(y), ReduceMean(y, 0) }},
		"as the targets":    {forecast: func(z *Node) *Node { return z }},
		"no forecasts":      {forecast: func(*Node) *Node { return nil }},
		"does not take":     {forecast: func(z *Node) *Node { return Reshape(z, 7, 7, 7) }},
		"misuse_test.go":    {loss: func(*Node) (*Node, *Node) { panic("by mistake") }},
		"of the head pengc": {loss: func(y *Node) (*Node, *Node) { return Mul(y, Reshape(y, 3, 3)), nil }},
	} {
		config.Head = h
		m, err := New(backend, config)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Fit(context.Background(), split.Train, split.Validation, train.Config{Epochs: 1})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want ErrInput that says %q", err, says)
		}
		m.Close()
	}
}

// named is a field with the given parameters.
type named struct {
	diffusion
	params []nn.Param
}

func (f named) Params() []nn.Param { return f.params }

// Parameters that could not be saved, or drawn, are refused when a model is made.
func TestFaultyParameters(t *testing.T) {
	rate := nn.Param{Name: "field.rate", Dims: []int{4}, Init: nn.Fill(1)}
	for says, params := range map[string][]nn.Param{
		`two parameters are named "field.rate"`: {rate, rate},
		`two parameters are named "encoder.layers.0.weight"`: {
			{Name: "encoder.layers.0.weight", Dims: []int{1}, Init: nn.Fill(0)}},
		"without a name":                    {{Dims: []int{1}, Init: nn.Fill(0)}},
		`"field.rate" is [2 0], want sizes`: {{Name: "field.rate", Dims: []int{2, 0}, Init: nn.Fill(0)}},
		`"field.rate" has no Init`:          {{Name: "field.rate", Dims: []int{2}}},
	} {
		_, err := New(xlatest.Go(t), Config{Nodes: ringNodes, Features: ringFeatures, Hidden: 4, Layers: 1,
			Field: named{diffusion{Hidden: 4}, params}, Equation: Equation{Step: 1}})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want ErrInput that says %q", err, says)
		}
	}
}

// Misuse that a caller cannot have meant is an error, not a panic.
func TestMisuse(t *testing.T) {
	split := ringSplit(t)
	m := ringModel(t, nil)
	var none context.Context
	if _, err := m.Fit(none, split.Train, split.Validation, train.Config{Epochs: 1}); !errors.Is(err, ErrInput) {
		t.Errorf("training without a context: %v, want ErrInput", err)
	}
	if _, err := m.Predict(none, split.Test[0], nil); !errors.Is(err, ErrInput) {
		t.Errorf("a forecast without a context: %v, want ErrInput", err)
	}
	if _, err := m.Fit(context.Background(), split.Train, split.Validation,
		train.Config{Epochs: 1, Checkpoint: &train.Checkpoint{}}); !errors.Is(err, ErrInput) {
		t.Errorf("a checkpoint without a path: %v, want ErrInput", err)
	}
	(*Model)(nil).Close()
	new(Model).Close()
	ofNoMaps := Config{Nodes: 2, Features: 1, Field: field.PENG{Maps: []equivariant.Map{}}}
	if _, err := New(xlatest.Go(t), ofNoMaps); !errors.Is(err, ErrInput) {
		t.Errorf("a field of no maps: %v, want ErrInput", err)
	}
	latest := dyngraph.Window{Series: ring(t), Start: len(ring(t).Times) - 3, Length: 4}
	if _, err := m.Fit(context.Background(), []dyngraph.Window{latest}, nil, train.Config{Epochs: 1,
		EvaluateEvery: train.NoValidation}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "Series.Targets") {
		t.Errorf("training on a window without target: %v, want ErrInput that names Series.Targets", err)
	}
	backend, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	backend.Close()
	if _, err := New(backend, Config{Nodes: 2, Features: 1}); !errors.Is(err, xla.ErrNotOpen) {
		t.Errorf("a model on a closed backend: %v, want ErrNotOpen", err)
	}
}

// Times in seconds are noticed, once for each model, and times in days are not.
func TestTimesInASmallUnit(t *testing.T) {
	for _, c := range []struct {
		adaptive *ode.PID
		unit     float64
		want     string
	}{
		{nil, 86400, "1.73e+06 constant steps of 0.1"},
		{nil, 100, "200 units of time in 2 intervals"},
		{&ode.PID{}, 86400, "1.728e+05 units of time in 2 intervals"},
		{&ode.PID{}, 1, ""},
	} {
		if got := noticesOfTimes(t, c.adaptive, c.unit); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("adaptive %v, snapshots %g apart: notices %q, want %q", c.adaptive != nil, c.unit, got, c.want)
		}
	}
}

// noticesOfTimes returns the notices on two samples of a window whose snapshots are unit apart.
func noticesOfTimes(t *testing.T, adaptive *ode.PID, unit float64) string {
	t.Helper()
	var notices bytes.Buffer
	m := ringModel(t, func(c *Config) {
		c.Notices, c.Adaptive, c.Step = &notices, adaptive, 0.1
		if adaptive != nil {
			c.Step = 0
		}
	})
	series := *ring(t)
	series.Times = nil
	for k := range ring(t).Times {
		series.Times = append(series.Times, unit*float64(k))
	}
	w := dyngraph.Window{Series: &series, Start: 1, Length: 4}
	for range 2 {
		if _, err := m.sample(w, false, validated{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(notices.String(), "\n"); n > 1 {
		t.Errorf("%d notices: %s", n, notices.String())
	}
	return notices.String()
}

// A call validates a series once, and each call validates it anew.
func TestSeriesIsValidatedOncePerCall(t *testing.T) {
	m, windows, valid := ringModel(t, nil), ringSplit(t).Train, validated{}
	if err := m.check(windows[0], valid); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(windows[0].Series.Times)
	if err := m.check(windows[1], valid); err != nil {
		t.Errorf("a second window of one call: %v", err)
	}
	if err := m.check(windows[1], validated{}); !errors.Is(err, ErrInput) {
		t.Errorf("a window of another call: %v, want ErrInput", err)
	}
}
