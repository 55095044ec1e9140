package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/gradients"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
)

const testNodes, testSeed = 36, 1234

func caseOf(t *testing.T, s Setting) *testCase {
	t.Helper()
	s.Nodes, s.Seed, s.Float64 = testNodes, testSeed, true
	c, err := newCase(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newModel(t *testing.T, c *testCase) *pengcde.Model {
	t.Helper()
	model, err := pengcde.New(xlatest.Go(t), c.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// needPeer skips a test if the peer is not set up.
func needPeer(t *testing.T) {
	t.Helper()
	if _, err := peerPython(); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("JAX compiles for minutes")
	}
	// Nearly all of the time is compiling, not the work.
	t.Setenv("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
}

func TestPeerComputesTheSame(t *testing.T) {
	needPeer(t)
	for _, s := range []Setting{{Field: "peng"}, {Field: "affine"}, {Field: "original"}, {Field: "pre-mult"},
		{Field: "adjacency"}, {Field: "gn-ode"}, {Field: "constant"}, {Field: "gn-ode", Published: true},
		{Field: "peng", Published: true}} {
		name := s.Field
		if s.Published {
			name += " as published"
		}
		t.Run(name, func(t *testing.T) {
			s.Nodes, s.Seed = testNodes, testSeed
			report, err := Check(t.Context(), xlatest.Go(t), s)
			t.Log(report)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPeerRepeatsAnEpoch(t *testing.T) {
	needPeer(t)
	c := caseOf(t, Setting{Field: "original"})
	folder := t.TempDir()
	model := newModel(t, c)
	steps, err := c.steps(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.export(folder, model, steps); err != nil {
		t.Fatal(err)
	}
	err = withPeer(t.Context(), folder, dense, given, func(p *process) error {
		first, err := p.ask("epoch")
		if err != nil {
			return err
		}
		second, err := p.ask("epoch")
		for b, taken := range steps {
			if got := second.Accepted[b]; got != taken.Accepted {
				t.Errorf("sample %d took %d steps, want the given %d", b, got, taken.Accepted)
			}
		}
		if !(first.Loss-second.Loss < 1e-9*first.Loss && second.Loss-first.Loss < 1e-9*first.Loss) {
			t.Errorf("losses %g and %g of two epochs, want the same parameters in both", first.Loss, second.Loss)
		}
		if first.PeakBytes <= 0 || first.CompileSeconds <= 0 || p.versions["diffrax"] == "" {
			t.Errorf("peak %d bytes, compiled in %g s, versions %v", first.PeakBytes, first.CompileSeconds, p.versions)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	peer, err := startPeer(ctx, "", folder, dense, own, 0)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := peer.ask("epoch"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_ = peer.close()
	if _, err := startPeer(t.Context(), "", folder, dense, own, 0.5); !errors.Is(err, errMemory) {
		t.Errorf("half a GiB: %v, want errMemory", err)
	}
}

func TestGradientOfOneStep(t *testing.T) {
	c := caseOf(t, Setting{Field: "original"})
	model := newModel(t, c)
	before := filepath.Join(t.TempDir(), "model.safetensors")
	if err := model.Save(before); err != nil {
		t.Fatal(err)
	}
	loss, gradient, err := gradients.Of(t.Context(), model, c.windows)
	if err != nil {
		t.Fatal(err)
	}
	reset, err := pengcde.Load(xlatest.Go(t), before)
	if err != nil {
		t.Fatal(err)
	}
	defer reset.Close()
	report, err := reset.Fit(t.Context(), c.windows, nil, c.training)
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
	if relative := square/(norm*norm) - 1; !(relative < 1e-9 && relative > -1e-9) ||
		loss != report.Epochs[0].TrainLoss {
		t.Errorf("norm² %g with loss %g, want %g and %g", square, loss, norm*norm, report.Epochs[0].TrainLoss)
	}
}

func TestErrors(t *testing.T) {
	if _, err := newCase(t.Context(), Setting{Field: "reaction", Nodes: testNodes}); !errors.Is(err, pengcde.ErrInput) {
		t.Errorf("a field that the peer lacks: %v, want ErrInput", err)
	}
	t.Chdir(t.TempDir())
	if _, err := startPeer(t.Context(), "", ".", dense, own, 0); !errors.Is(err, errNoPeer) {
		t.Errorf("outside a checkout: %v, want errNoPeer", err)
	}
	if err := os.WriteFile("go.mod", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := startPeer(t.Context(), "", ".", dense, own, 0); !errors.Is(err, errNoPeer) {
		t.Errorf("without its environment: %v, want errNoPeer", err)
	}
}

// Series that train one at a time take the same steps as when they train together.
func TestStepsOfSmallerBatches(t *testing.T) {
	var all [2][]pengcde.Steps
	for i, batch := range []int{0, 1} {
		c := caseOf(t, Setting{Batch: batch})
		var err error
		if all[i], err = c.steps(t.Context(), newModel(t, c)); err != nil {
			t.Fatal(err)
		}
	}
	same := func(a, b pengcde.Steps) bool { return slices.Equal(a.Ends, b.Ends) }
	if len(all[0]) != batchSize || !slices.EqualFunc(all[0], all[1], same) {
		t.Errorf("steps %v, one at a time %v", all[0], all[1])
	}
}
