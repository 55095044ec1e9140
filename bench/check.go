package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// Tolerance is how far losses and gradients of the library and the peer may be apart in float64 on the same steps, relative
// to the library's. Both round differently, and fields that change fast magnify that.
const Tolerance = 1e-8

// Difference is how far a variant of the peer is from the library on the same steps, relative to the library's.
type Difference struct {
	Variant Variant
	Loss    float64
	// Gradient is the largest over parameters of the norm of the difference by the norm; Worst names the parameter.
	Gradient float64
	Worst    string
}

// Comparison is what [Check] finds.
type Comparison struct {
	// Variants are compared on the steps that the library accepted.
	Variants []Difference
	// Ours are the library's steps, Theirs those of the peer's own controller, where it forecasts.
	Ours   Steps
	Theirs Turn
}

// Check compares the variants of the peer with the library on a case in float64, after a few epochs of training, so that no
// parameter has a value that hides mistakes, as gains of 1 and shifts of 0 do. Whether they are within [Tolerance] is for
// the caller to see.
func Check(ctx context.Context, backend *xla.Backend, s Setting) (*Comparison, error) {
	s.Float64 = true
	c, err := NewCase(ctx, s)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "pengcde-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(folder)
	model, err := pengcde.New(backend, c.Config)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	lesson := c.Train
	lesson.Epochs, lesson.AdamW = 2, train.AdamW{}
	if _, err := model.Fit(ctx, c.windows(), nil, lesson); err != nil {
		return nil, err
	}
	found := &Comparison{}
	if found.Ours, err = c.Steps(ctx, backend, model); err != nil {
		return nil, err
	}
	if err := c.Export(folder, model, found.Ours); err != nil {
		return nil, err
	}
	loss, ours, err := c.gradient(ctx, model, filepath.Join(folder, parametersFile))
	if err != nil {
		return nil, err
	}
	for _, variant := range []Variant{Dense, Implicit} {
		d := Difference{Variant: variant}
		err := with(ctx, folder, PeerConfig{Variant: variant, Steps: Given}, func(p *Process) error {
			turn, theirs, err := p.Gradient()
			if err != nil {
				return err
			}
			d.Loss = math.Abs(turn.Loss-loss) / math.Abs(loss)
			d.Gradient, d.Worst, err = apart(ours, theirs)
			return err
		})
		if err != nil {
			return nil, err
		}
		found.Variants = append(found.Variants, d)
	}
	return found, with(ctx, folder, PeerConfig{}, func(p *Process) (err error) {
		found.Theirs, err = p.Inference()
		return err
	})
}

// with starts a peer, uses it and closes it.
func with(ctx context.Context, folder string, config PeerConfig, use func(*Process) error) error {
	peer, err := Start(ctx, folder, config)
	if err != nil {
		return err
	}
	return errors.Join(use(peer), peer.Close())
}

// gradient is that of the model which is trained, whose parameters are in the file before: AdamW with an ε far above any
// gradient, and a learning rate as large, steps by the gradient itself. The model's parameters are others then.
func (c *Case) gradient(ctx context.Context, model *pengcde.Model, before string) (float64, map[string][]float64, error) {
	const far = 1e12
	lesson := c.Train
	lesson.AdamW = train.AdamW{LearningRate: far, Epsilon: far, WeightDecay: -1, Clip: -1}
	report, err := model.Fit(ctx, c.windows(), nil, lesson)
	if err != nil {
		return 0, nil, err
	}
	gradient, err := readFloats(before)
	if err != nil {
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

// apart is the largest relative difference between two gradients, and where it is.
func apart(ours, theirs map[string][]float64) (largest float64, worst string, err error) {
	if len(ours) != len(theirs) {
		return 0, "", fmt.Errorf("bench: the peer has gradients of %d parameters, the library of %d", len(theirs), len(ours))
	}
	for name, ours := range ours {
		theirs := theirs[name]
		if len(ours) != len(theirs) {
			return 0, "", fmt.Errorf("bench: the peer's gradient of %q has %d entries, the library's %d", name, len(theirs), len(ours))
		}
		var difference, norm float64
		for i := range ours {
			difference = math.Hypot(difference, theirs[i]-ours[i])
			norm = math.Hypot(norm, ours[i])
		}
		if relative := difference / norm; !(relative <= largest) {
			largest, worst = relative, name
		}
	}
	return largest, worst, nil
}
