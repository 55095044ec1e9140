package neural_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/neural"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

var (
	encoder = nn.MLP{Name: "encoder", In: 2, Out: 3}
	field   = nn.MLP{Name: "field", In: 3, Out: 6, Width: 4, Depth: 1}
	readout = nn.MLP{Name: "readout", In: 3, Out: 1}
)

// cde is a neural CDE with a learnt start and readout, along a path through values [batch, T, 2].
func cde() neural.Model {
	return neural.Model{Float64: true, Seed: 3, Params: nn.ParamsOf(encoder, field, readout),
		Start: func(v nn.Values, inputs []*Node) *Node { return encoder.Apply(v, inputs[0]) },
		Field: func(v nn.Values, t, z *Node, args []*Node) *Node {
			_, slope := path.Locate(path.Hermite, args[:1], t, nil).Eval(args[1])
			matrix := Reshape(Tanh(field.Apply(v, z)), -1, 3, 2)
			return ReduceSum(Mul(matrix, ExpandAxes(slope, 1)), -1)
		},
		Loss: func(v nn.Values, z *Node, targets []*Node) *Node {
			y := readout.Apply(v, SliceAxis(z, 1, AxisElem(-1)))
			return ReduceAllMean(Square(Sub(Reshape(y, -1), targets[0])))
		}}
}

// batch has two samples of other paths.
func batch() neural.Batch {
	return neural.Batch{Times: [][]float64{{0, 2}}, Inputs: []*tensors.Tensor{tensors.FromValue([][]float64{{0.5, -1},
		{1, 0.3}})},
		Args: []*tensors.Tensor{tensors.FromValue([][]float64{{0, 1, 2}, {0, 0.5, 2}}),
			tensors.FromValue([][][]float64{{{0, 1}, {1, 0}, {2, 1}}, {{0, 0}, {1, 2}, {2, -1}}})},
		Targets: []*tensors.Tensor{tensors.FromValue([]float64{1, -1})}}
}

func learner(t *testing.T, m neural.Model, c ode.Config) *neural.Learner {
	t.Helper()
	l, err := neural.New(xlatest.Go(t), m, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// The gradient of every parameter, of start, field and readout, equals finite differences.
func TestGradient(t *testing.T) {
	l := learner(t, cde(), ode.Config{StepSize: ode.Constant{Step: 0.25}})
	b := batch()
	gradients, loss, err := l.Gradient(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.Loss(context.Background(), b)
	if err != nil || !(math.Abs(loss-again) <= 1e-14) {
		t.Fatalf("loss %g, with the gradient %g, %v", again, loss, err)
	}
	for i, p := range l.Params() {
		entries := host.Floats(p)
		all := host.Floats(gradients[i])
		if floats.Norm(all, 2) == 0 {
			t.Errorf("parameter %d has no gradient", i)
		}
		for k, gradient := range all {
			var at [2]float64
			const h = 1e-6
			for side, sign := range []float64{1, -1} {
				moved := entries[k] + sign*h
				host.Set(p, k, []float64{moved})
				if at[side], err = l.Loss(context.Background(), b); err != nil {
					t.Fatal(err)
				}
			}
			host.Set(p, k, entries[k:k+1])
			if want := (at[0] - at[1]) / (2 * h); !(math.Abs(gradient-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("parameter %d entry %d: %g, want %g", i, k, gradient, want)
			}
		}
	}
}

// Training learns the rate of decay from a solution, without a start of its own.
func TestFit(t *testing.T) {
	decay := neural.Model{Float64: true, Params: []nn.Param{{Name: "rate", Dims: []int{1, 1}, Init: nn.Fill(0)}},
		Field: func(v nn.Values, _, z *Node, _ []*Node) *Node { return Neg(Mul(v.Get("rate"), z)) },
		Loss: func(_ nn.Values, z *Node, targets []*Node) *Node {
			return ReduceAllMean(Square(Sub(z, targets[0])))
		}}
	l := learner(t, decay, ode.Config{StepSize: ode.PID{RTol: 1e-8, ATol: 1e-8}})
	times := [][]float64{{0, 1, 2}}
	one := func(start float64) neural.Batch {
		return neural.Batch{Times: times, Inputs: []*tensors.Tensor{tensors.FromValue([][]float64{{start}})},
			Targets: []*tensors.Tensor{tensors.FromValue([][][]float64{{{start}, {start * math.Exp(-0.7)},
				{start * math.Exp(-1.4)}}})}}
	}
	report, err := l.Fit(t.Context(), []neural.Batch{one(1), one(2)}, []neural.Batch{one(3)},
		train.Config{Epochs: 300, Patience: 300, Schedule: train.Schedule{Kind: train.Cosine},
			AdamW: train.AdamW{LearningRate: 0.02, WeightDecay: train.NoDecay}})
	if err != nil {
		t.Fatal(err)
	}
	if rate := host.Floats(l.Params()[0])[0]; !(math.Abs(rate-0.7) <= 1e-3) || report.BestValidation > 1e-5 {
		t.Errorf("rate %g, want 0.7; validation %g", rate, report.BestValidation)
	}
	if report.Epochs[0].Tries == 0 {
		t.Error("steps are not counted")
	}
	solution, err := l.Solve(t.Context(), one(1))
	if err != nil {
		t.Fatal(err)
	}
	defer solution.Close()
	if z := host.Floats(solution.Z); !(math.Abs(z[2]-math.Exp(-1.4)) <= 1e-3) {
		t.Errorf("z = %g", z)
	}
}

// A checkpoint of other batches is refused: its result would be wrong.
func TestCheckpointOfOtherBatches(t *testing.T) {
	config := train.Config{Epochs: 2, Checkpoint: &train.Checkpoint{Path: filepath.Join(t.TempDir(), "c")}}
	fit := func(b neural.Batch) (*train.Report, error) {
		return learner(t, cde(), ode.Config{}).Fit(t.Context(), []neural.Batch{b}, []neural.Batch{b}, config)
	}
	first, err := fit(batch())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := fit(batch()); err != nil || again.BestValidation != first.BestValidation {
		t.Errorf("the same batches: %v, %v, want the stored result", again, err)
	}
	other := batch()
	other.Targets = []*tensors.Tensor{tensors.FromValue([]float64{50, 50})}
	if r, err := fit(other); !errors.Is(err, train.ErrCheckpoint) {
		t.Errorf("other targets: %v, %v, want a checkpoint refused", r, err)
	}
	if config.Checkpoint.Key != "" {
		t.Errorf("the caller's key is now %q", config.Checkpoint.Key)
	}
}

func TestErrors(t *testing.T) {
	whole := cde()
	for name, change := range map[string]func(*neural.Model){
		"no field":  func(m *neural.Model) { m.Field = nil },
		"no loss":   func(m *neural.Model) { m.Loss = nil },
		"no params": func(m *neural.Model) { m.Params = nil },
	} {
		m := whole
		change(&m)
		if _, err := neural.New(xlatest.Go(t), m, ode.Config{}); !errors.Is(err, neural.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := learner(t, whole, ode.Config{})
	if _, err := l.Fit(t.Context(), nil, nil, train.Config{}); !errors.Is(err, neural.ErrInput) {
		t.Errorf("no batches: %v", err)
	}
	if _, err := l.Loss(t.Context(), neural.Batch{Times: [][]float64{{0, 1}}}); !errors.Is(err, neural.ErrInput) {
		t.Errorf("no inputs: %v", err)
	}
	bad := batch()
	bad.Targets = nil
	if _, err := l.Loss(t.Context(), bad); err == nil {
		t.Error("no targets: no error")
	}
	l.Close()
	if _, err := l.Loss(t.Context(), batch()); !errors.Is(err, neural.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// A learner has the parameters of another once it has read its file, and keeps its own after an error.
func TestSaveAndLoad(t *testing.T) {
	ctx, b, file := context.Background(), batch(), filepath.Join(t.TempDir(), "learner")
	other := cde()
	other.Seed = 4
	one, two := learner(t, cde(), ode.Config{}), learner(t, other, ode.Config{})
	want, err := one.Loss(ctx, b)
	if err == nil {
		err = one.Save(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	before, err := two.Loss(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	wide := cde()
	wide.Params = nn.ParamsOf(encoder, nn.MLP{Name: "field", In: 3, Out: 6, Width: 5, Depth: 1}, readout)
	if err := learner(t, wide, ode.Config{}).Load(file); !errors.Is(err, neural.ErrFile) ||
		!strings.Contains(err.Error(), "[4 3] in the file, in the model [5 3]") {
		t.Errorf("a file of another width: %v", err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(damaged, []byte("learner"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := two.Load(damaged); !errors.Is(err, neural.ErrFile) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := two.Load(damaged + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if after, err := two.Loss(ctx, b); err != nil || after != before || before == want {
		t.Errorf("loss after faulty files %v, %v, want %v, and not %v", after, err, before, want)
	}
	if err := two.Load(file); err != nil {
		t.Fatal(err)
	}
	if after, err := two.Loss(ctx, b); err != nil || after != want {
		t.Errorf("loss with the parameters of the file %v, %v, want %v", after, err, want)
	}
}

// Gradients of a batch are the same with checkpoints, and with a field that is known to be continuous, which spares an
// evaluation at the time that each sample steps to. A Memory too small for a state is refused where states are kept.
func TestBatchOptions(t *testing.T) {
	l := learner(t, cde(), ode.Config{StepSize: ode.Constant{Step: 0.1}})
	b := batch()
	b.StepTo = [][]float64{{1}, {0.5}}
	flat := func(b neural.Batch) (all []float64) {
		gradient, loss, err := l.Gradient(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gradient {
			all = append(all, host.Floats(g)...)
		}
		return append(all, loss)
	}
	want := flat(b)
	b.Memory = ode.Memory{Checkpoints: 3}
	if got := flat(b); !floats.EqualApprox(got, want, 1e-12) {
		t.Errorf("with 3 checkpoints: %v, want %v", got, want)
	}
	b.Memory, b.Continuous = ode.Memory{}, true
	if got := flat(b); !floats.EqualApprox(got, want, 1e-9) {
		t.Errorf("continuous: %v, want %v", got, want)
	}
	evaluations := func(b neural.Batch) (all int) {
		solution, err := l.Solve(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		defer solution.Close()
		for _, s := range solution.Stats {
			all += s.Evaluations
		}
		return all
	}
	jumping := b
	jumping.Continuous = false
	if spared := evaluations(jumping) - evaluations(b); spared != len(b.StepTo) {
		t.Errorf("a continuous field spares %d evaluations, want %d", spared, len(b.StepTo))
	}
	b.Memory = ode.Memory{Bytes: 1}
	if _, _, err := l.Gradient(context.Background(), b); !errors.Is(err, ode.ErrInput) {
		t.Errorf("a gradient with 1 byte of memory: %v", err)
	}
	if _, err := l.Loss(context.Background(), b); err != nil {
		t.Error(err)
	}
}
