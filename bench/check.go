package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/gradients"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// tolerance bounds the difference of losses and gradients between the library and the peer in float64 on the same
// steps, relative to the library's. The two round differently, and fields that change fast magnify the difference.
const tolerance = 1e-8

// Check compares losses, gradients and steps of the peer with the library's in float64, and reports the differences.
// It returns an error if losses or gradients differ by more than rounding, or if one accepts over 1.5 times the
// other's steps of a sample. With the defects of the published code PENG changes so fast that rounding moves its steps:
// one processor has 27 and 55 for a sample. There only the steps of all samples are compared. Check first trains two
// epochs, because special parameter values, such as gains of 1 and shifts of 0, could hide mistakes.
func Check(ctx context.Context, backend *xla.Backend, s Setting) (report string, err error) {
	s.Float64 = true
	c, err := newCase(ctx, s)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "pengcde-bench-")
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(folder)
	model, err := pengcde.New(backend, c.config)
	if err != nil {
		return "", err
	}
	defer model.Close()
	config := c.training
	config.Epochs, config.AdamW = 2, train.AdamW{}
	if _, err := model.Fit(ctx, c.windows, nil, config); err != nil {
		return "", err
	}
	steps, err := c.steps(ctx, model)
	if err != nil {
		return "", err
	}
	if err := c.export(folder, model, steps); err != nil {
		return "", err
	}
	loss, ours, err := gradients.Of(ctx, model, c.windows)
	if err != nil {
		return "", err
	}
	report = fmt.Sprintf("%s, relative to the library on its steps:\n", c.Field)
	var differs error
	variants := []string{dense}
	// The other fields have one message matrix, which both variants form.
	if slices.Contains([]string{"peng", "affine", "pre-mult"}, c.Field) {
		variants = append(variants, implicit)
	}
	for _, variant := range variants {
		err := withPeer(ctx, folder, variant, given, func(p *process) error {
			t, theirs, err := p.gradient()
			if err != nil {
				return err
			}
			ofGradient, worst, err := gradients.LargestDifference(ours, theirs)
			ofLoss := math.Abs(t.Loss-loss) / math.Abs(loss)
			report += fmt.Sprintf("  %-8s loss %.1e, gradient %.1e (%s)\n", variant, ofLoss, ofGradient, worst)
			if !(max(ofLoss, ofGradient) <= tolerance) {
				differs = errors.Join(differs, fmt.Errorf("bench: %s, %s: loss or gradient differs by more than %g",
					c.Field, variant, tolerance))
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	report += "  steps accepted+rejected on their own:\n"
	err = withPeer(ctx, folder, dense, stopped, func(p *process) error {
		t, err := p.ask("inference")
		all, allOfPeer := 0, 0
		compare := func(of string, ours, theirs int) { // both adapt in the same way, but not equally: see startPeer
			if 2*max(ours, theirs) > 3*min(ours, theirs) {
				differs = errors.Join(differs, fmt.Errorf("bench: %s: the peer accepts %d steps of %s, the library %d, want at "+
					"most 1.5 times the steps of either", c.Field, theirs, of, ours))
			}
		}
		for b, theirs := range t.Accepted {
			ours := steps[b]
			report += fmt.Sprintf("    library %d+%d, ", ours.Accepted, ours.Rejected)
			report += fmt.Sprintf("peer %d+%d\n", theirs, t.Rejected[b])
			all, allOfPeer = all+ours.Accepted, allOfPeer+theirs
			if !s.Published || c.Field != defaultField {
				compare(fmt.Sprintf("sample %d", b), ours.Accepted, theirs)
			}
		}
		compare("all samples", all, allOfPeer)
		return err
	})
	return report, errors.Join(err, differs)
}

// withPeer starts a peer, uses it and closes it.
func withPeer(ctx context.Context, folder, variant, steps string, use func(*process) error) error {
	peer, err := startPeer(ctx, "", folder, variant, steps, 0)
	if err != nil {
		return err
	}
	return errors.Join(use(peer), peer.close())
}
