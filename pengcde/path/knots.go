package path

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrKnots is wrapped by errors about knots.
var ErrKnots = errors.New("invalid knots")

// shortest and longest bound an interval, so that the squares and cubes of lengths and length ratios are finite and not
// 0.
const shortest, longest = 1e-50, 1e50

// CheckKnots returns an error for invalid knots: fewer than two, not finite, not strictly increasing, or so close or
// far apart that their differences leave the range of float64.
func CheckKnots(knots []float64) error {
	if err := checkKnots(knots); err != nil {
		return fmt.Errorf("pengcde/path: %w", err)
	}
	return nil
}

func checkKnots(knots []float64) error {
	if len(knots) < 2 {
		return errs.New(ErrKnots, "%d knots, want at least 2: a path needs two observations", len(knots))
	}
	for k, t := range knots {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return errs.New(ErrKnots, "knot %d is %g, want a finite time", k, t)
		}
		if k == 0 {
			continue
		}
		if t <= knots[k-1] {
			return errs.New(ErrKnots, "knot %d is %g after %g, want times that increase strictly: sort observations and "+
				"merge equal times", k, t, knots[k-1])
		}
		if h := t - knots[k-1]; h < shortest || h > longest {
			return errs.New(ErrKnots, "knot %d comes %g after the one before, want %g to %g: choose another unit of time", k,
				h, shortest, longest)
		}
	}
	return nil
}

// Knots checks the knots [batch][T] of a batch of samples and returns the tensors that [Locate] takes: the times
// [batch, T] float64, and for Natural also the weight of each value in the second derivative at each knot, [batch, T,
// T]. The tensors for Natural serve the other kinds as well.
func Knots(kind Kind, knots [][]float64) ([]*tensors.Tensor, error) {
	if err := kind.Check(); err != nil {
		return nil, err
	}
	if len(knots) == 0 {
		return nil, errs.New(ErrKnots, "pengcde/path: knots of no samples")
	}
	batch, count := len(knots), len(knots[0])
	var flat, curvature []float64
	for b, times := range knots {
		if len(times) != count {
			return nil, errs.New(ErrKnots, "pengcde/path: sample %d has %d knots, sample 0 has %d: put samples of other "+
				"lengths in batches of their own", b, len(times), count)
		}
		if err := checkKnots(times); err != nil {
			return nil, fmt.Errorf("pengcde/path: sample %d: %w", b, err)
		}
		flat = append(flat, times...)
		if kind == Natural {
			for _, weights := range curvatureWeights(times) {
				curvature = append(curvature, weights...)
			}
		}
	}
	made := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(flat, batch, count)}
	if kind == Natural {
		made = append(made, tensors.FromFlatDataAndDimensions(curvature, batch, count, count))
	}
	return made, nil
}
