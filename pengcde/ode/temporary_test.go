package ode

import (
	"errors"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// The temporary memory of programs does not depend on the number of steps, grows with the state, and is less without a
// pullback.
func TestTemporary(t *testing.T) {
	temporary := func(width int, step float64, forget bool) int64 {
		s, err := New(xlatest.Go(t), twisted, Config{StepSize: Constant{step}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		bytes, err := s.Temporary(Problem{Z0: tensors.FromFlatDataAndDimensions(cosines(2*width), 2, width),
			Times: [][]float64{{0, 1}},
			Args:  []*tensors.Tensor{tensors.FromFlatDataAndDimensions(cosines(width), width)}, Forget: forget})
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	all := temporary(1000, 0.5, false)
	if few := temporary(1000, 0.01, false); few != all {
		t.Errorf("%d bytes for 2 steps, %d for 100", all, few)
	}
	if forward := temporary(1000, 0.5, true); forward <= 0 || forward >= all {
		t.Errorf("%d bytes without a pullback, %d with it", forward, all)
	}
	if ratio := float64(temporary(4000, 0.5, false)) / float64(all); ratio < 3.9 || ratio > 4.1 {
		t.Errorf("4 times the state takes %.2f times the bytes", ratio)
	}
	s, err := New(xlatest.Go(t), twisted, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Temporary(Problem{}); !errors.Is(err, ErrInput) {
		t.Errorf("no state: %v, want ErrInput", err)
	}
	s.Close()
	if _, err := s.Temporary(Problem{}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}
