package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
)

const testNodes, testSeed = 36, 1234

func newCase(t *testing.T, s Setting) *Case {
	t.Helper()
	s.Nodes, s.Seed, s.Float64 = testNodes, testSeed, true
	c, err := NewCase(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newModel(t *testing.T, c *Case) *pengcde.Model {
	t.Helper()
	model, err := pengcde.New(xlatest.Go(t), c.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// needPeer skips a test where the peer is not set up.
func needPeer(t *testing.T) {
	t.Helper()
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "build", "peer-venv", "stamp")); err != nil {
		t.Skip(ErrNoPeer)
	}
	if testing.Short() {
		t.Skip("JAX compiles for minutes")
	}
	// The seconds are those of compiling, not of the work.
	t.Setenv("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
}

func TestPeerComputesTheSame(t *testing.T) {
	needPeer(t)
	for _, s := range []Setting{{Field: "peng"}, {Field: "original"}, {Field: "pre-mult"}, {Field: "peng", Published: true}} {
		name := string(s.Field)
		if s.Published {
			name += " as published"
		}
		t.Run(name, func(t *testing.T) {
			s.Nodes, s.Seed = testNodes, testSeed
			found, err := Check(t.Context(), xlatest.Go(t), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found.Variants {
				t.Logf("%s: loss %.1e, gradient %.1e (%s)", d.Variant, d.Loss, d.Gradient, d.Worst)
				if !(d.Loss <= Tolerance && d.Gradient <= Tolerance) {
					t.Errorf("%s: loss differs by %.2g, gradient by %.2g (%s), want at most %g", d.Variant, d.Loss, d.Gradient, d.Worst, Tolerance)
				}
			}
			for b, ours := range found.Ours.Stats { // both adapt alike, but not equally: see Adaptive
				if theirs := found.Theirs.Accepted[b]; 2*theirs < ours.Accepted || theirs > 2*ours.Accepted {
					t.Errorf("sample %d: the peer's controller accepted %d steps, the library's %d", b, theirs, ours.Accepted)
				}
			}
		})
	}
}

func TestPeerRepeatsAnEpoch(t *testing.T) {
	needPeer(t)
	c := newCase(t, Setting{Field: "original"})
	folder := t.TempDir()
	model := newModel(t, c)
	steps, err := c.Steps(t.Context(), xlatest.Go(t), model)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Export(folder, model, steps); err != nil {
		t.Fatal(err)
	}
	err = with(t.Context(), folder, PeerConfig{Steps: Given}, func(p *Process) error {
		first, err := p.Epoch()
		if err != nil {
			return err
		}
		second, err := p.Epoch()
		for b, stats := range steps.Stats {
			if got := second.Accepted[b]; got != stats.Accepted {
				t.Errorf("sample %d took %d steps, want the given %d", b, got, stats.Accepted)
			}
		}
		if !(first.Loss-second.Loss < 1e-9*first.Loss && second.Loss-first.Loss < 1e-9*first.Loss) {
			t.Errorf("losses %g and %g of two epochs, want parameters that stand still", first.Loss, second.Loss)
		}
		if first.PeakBytes <= 0 || first.CompileSeconds <= 0 || p.Versions["diffrax"] == "" {
			t.Errorf("peak %d bytes, compiled in %g s, versions %v", first.PeakBytes, first.CompileSeconds, p.Versions)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	peer, err := Start(ctx, folder, PeerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := peer.Epoch(); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_ = peer.Close()
	if _, err := Start(t.Context(), folder, PeerConfig{MemoryGiB: 0.5}); !errors.Is(err, ErrMemory) {
		t.Errorf("half a GiB: %v, want ErrMemory", err)
	}
}

func TestStepsEndBesideChanges(t *testing.T) {
	c := newCase(t, Setting{})
	steps, err := c.Steps(t.Context(), xlatest.Go(t), newModel(t, c))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := c.samples()
	if err != nil {
		t.Fatal(err)
	}
	for b, ends := range steps.Ends {
		times := c.Series[b].Times
		if !slices.IsSorted(ends) || ends[len(ends)-1] != times[len(times)-1] || len(ends) != steps.Stats[b].Accepted {
			t.Errorf("sample %d: %d ends up to %g, want %d up to %g", b, len(ends), ends[len(ends)-1], steps.Stats[b].Accepted, times[len(times)-1])
		}
		for _, stop := range c.stops(samples[b]) {
			if stop > 0 && !slices.Contains(ends, stop) {
				t.Errorf("sample %d: no step ends at %g, beside a change", b, stop)
			}
		}
	}
	other := newModel(t, newCase(t, Setting{Field: "pre-mult"}))
	if _, err := c.Steps(t.Context(), xlatest.Go(t), other); !errors.Is(err, pengcde.ErrInput) {
		t.Errorf("another field's model: %v, want ErrInput", err)
	}
}

func TestGradientOfOneStep(t *testing.T) {
	c := newCase(t, Setting{Field: "original"})
	model := newModel(t, c)
	before := filepath.Join(t.TempDir(), "model.safetensors")
	if err := model.Save(before); err != nil {
		t.Fatal(err)
	}
	loss, gradient, err := c.gradient(t.Context(), model, before)
	if err != nil {
		t.Fatal(err)
	}
	reset, err := pengcde.Load(xlatest.Go(t), before)
	if err != nil {
		t.Fatal(err)
	}
	defer reset.Close()
	report, err := reset.Fit(t.Context(), c.windows(), nil, c.Train)
	if err != nil {
		t.Fatal(err)
	}
	square := 0.0
	for _, values := range gradient {
		for _, g := range values {
			square += g * g
		}
	}
	norm := report.Epochs[0].GradientNorm
	if relative := square/(norm*norm) - 1; !(relative < 1e-9 && relative > -1e-9) || loss != report.Epochs[0].TrainLoss {
		t.Errorf("norm² %g with loss %g, want %g and %g", square, loss, norm*norm, report.Epochs[0].TrainLoss)
	}
}

func TestErrors(t *testing.T) {
	if _, err := NewCase(t.Context(), Setting{Field: "gn-ode", Nodes: testNodes}); !errors.Is(err, pengcde.ErrInput) {
		t.Errorf("a field that the peer lacks: %v, want ErrInput", err)
	}
	t.Chdir(t.TempDir())
	if _, err := Start(t.Context(), ".", PeerConfig{}); !errors.Is(err, ErrNoPeer) {
		t.Errorf("outside a checkout: %v, want ErrNoPeer", err)
	}
	if err := os.WriteFile("go.mod", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), ".", PeerConfig{}); !errors.Is(err, ErrNoPeer) {
		t.Errorf("without its environment: %v, want ErrNoPeer", err)
	}
}

func TestApart(t *testing.T) {
	ours := map[string][]float64{"a": {3, 4}, "b": {1}}
	d, worst, err := apart(ours, map[string][]float64{"a": {3, 4.5}, "b": {1.01}})
	if err != nil || worst != "a" || d != 0.1 {
		t.Errorf("%g at %q, %v; want 0.1 at a", d, worst, err)
	}
	for name, theirs := range map[string]map[string][]float64{"missing": {"a": {3, 4}}, "short": {"a": {3}, "b": {1}}} {
		if _, _, err := apart(ours, theirs); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Series that train one at a time take the steps that they take together.
func TestStepsOfSmallerBatches(t *testing.T) {
	var ends [2][][]float64
	for i, batch := range []int{0, 1} {
		c := newCase(t, Setting{Field: "peng", Batch: batch})
		steps, err := c.Steps(t.Context(), xlatest.Go(t), newModel(t, c))
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = steps.Ends
	}
	if len(ends[0]) == 0 || !slices.EqualFunc(ends[0], ends[1], slices.Equal[[]float64]) {
		t.Errorf("steps end at %v, one at a time at %v", ends[0], ends[1])
	}
}
