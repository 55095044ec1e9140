package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// tolerance is how far losses and gradients of the library and the peer may differ in float64 on the same steps,
// relative to the library's. Both round differently, and fields that change fast magnify that.
const tolerance = 1e-8

// comparison is what compare finds.
type comparison struct {
	differences []difference
	// ours are the library's steps, theirs those of the peer's own controller, where it forecasts.
	ours   []pengcde.Steps
	theirs turn
}

// difference is how far a variant of the peer is from the library on the same steps, relative to the library's.
type difference struct {
	variant string
	loss    float64
	// gradient is the largest over parameters of the norm of the difference by the norm; worst names the parameter.
	gradient float64
	worst    string
}

func (d difference) small() bool { return d.loss <= tolerance && d.gradient <= tolerance }

// Check compares losses and gradients of the peer with those of the library in float64, and steps, and says what it
// found. Where they differ by more than rounding it returns an error.
func Check(ctx context.Context, backend *xla.Backend, s Setting) (report string, err error) {
	found, err := compare(ctx, backend, s)
	if err != nil {
		return "", err
	}
	report = fmt.Sprintf("%s, relative to the library on its steps:\n", s.Field)
	for _, d := range found.differences {
		report += fmt.Sprintf("  %-8s loss %.1e, gradient %.1e (%s)\n", d.variant, d.loss, d.gradient, d.worst)
		if !d.small() {
			err = errors.Join(err, fmt.Errorf("bench: %s, %s: differs by more than %g", s.Field, d.variant, tolerance))
		}
	}
	report += "  steps accepted+rejected on their own: library"
	for _, s := range found.ours {
		report += fmt.Sprintf(" %d+%d", s.Accepted, s.Rejected)
	}
	report += ", peer"
	for b, accepted := range found.theirs.Accepted {
		report += fmt.Sprintf(" %d+%d", accepted, found.theirs.Rejected[b])
	}
	return report + "\n", err
}

// compare trains two epochs first, so that no parameter hides mistakes, as gains of 1 and shifts of 0 do.
func compare(ctx context.Context, backend *xla.Backend, s Setting) (*comparison, error) {
	s.Float64 = true
	c, err := newCase(ctx, s)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pengcde-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(folder)
	model, err := pengcde.New(backend, c.config)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	config := c.training
	config.Epochs, config.AdamW = 2, train.AdamW{}
	if _, err := model.Fit(ctx, c.windows, nil, config); err != nil {
		return nil, err
	}
	found := &comparison{}
	if found.ours, err = c.steps(ctx, model); err != nil {
		return nil, err
	}
	if err := c.export(folder, model, found.ours); err != nil {
		return nil, err
	}
	loss, ours, err := c.gradient(ctx, model, filepath.Join(folder, parametersFile))
	if err != nil {
		return nil, err
	}
	for _, variant := range []string{dense, implicit} {
		d := difference{variant: variant}
		err := withPeer(ctx, folder, variant, true, func(p *process) error {
			t, theirs, err := p.gradient()
			if err != nil {
				return err
			}
			d.loss = math.Abs(t.Loss-loss) / math.Abs(loss)
			d.gradient, d.worst, err = largestDifference(ours, theirs)
			return err
		})
		if err != nil {
			return nil, err
		}
		found.differences = append(found.differences, d)
	}
	return found, withPeer(ctx, folder, dense, false, func(p *process) (err error) {
		found.theirs, err = p.ask("inference")
		return err
	})
}

// withPeer starts a peer, uses it and closes it.
func withPeer(ctx context.Context, folder, variant string, given bool, use func(*process) error) error {
	peer, err := startPeer(ctx, folder, variant, given, 0)
	if err != nil {
		return err
	}
	return errors.Join(use(peer), peer.close())
}

// gradient is that of the model which is trained, whose parameters are in the file before: AdamW with an ε far above
// any gradient, and a learning rate as large, steps by the gradient itself. The model's parameters are others then.
func (c *testCase) gradient(ctx context.Context, model *pengcde.Model, before string) (
	loss float64, gradient map[string][]float64, err error) {
	const far = 1e12
	config := c.training
	config.AdamW = train.AdamW{LearningRate: far, Epsilon: far, WeightDecay: -1, Clip: -1}
	report, err := model.Fit(ctx, c.windows, nil, config)
	if err != nil {
		return 0, nil, err
	}
	if gradient, err = readFloats(before); err != nil {
		return 0, nil, err
	}
	for name, values := range gradient {
		after, _ := model.Parameter(name)
		for i := range values {
			values[i] -= after[i]
		}
	}
	return report.Epochs[0].TrainLoss, gradient, nil
}

// largestDifference is the largest relative difference between two gradients, and where it is.
func largestDifference(ours, theirs map[string][]float64) (largest float64, worst string, err error) {
	if len(ours) != len(theirs) {
		return 0, "", fmt.Errorf("bench: the peer has gradients of %d parameters, want %d", len(theirs), len(ours))
	}
	for name, ours := range ours {
		theirs := theirs[name]
		if len(ours) != len(theirs) {
			return 0, "", fmt.Errorf("bench: the peer's gradient of %q has %d entries, want %d", name, len(theirs),
				len(ours))
		}
		if relative := floats.Distance(theirs, ours, 2) / floats.Norm(ours, 2); !(relative <= largest) {
			largest, worst = relative, name
		}
	}
	return largest, worst, nil
}
