package synthetic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// SIR starts with the image as the infected share of each node, the rest susceptible. Amplitudes are shares, at most 1.
func SIR(beta, gamma float64) Task {
	return Task{Dynamics: dynamics.SIR(beta, gamma), Amplitude: Shipped, Start: func(image []float64) []float64 {
		states := make([]float64, 0, 3*len(image))
		for _, infected := range image {
			states = append(states, 1-infected, infected, 0)
		}
		return states
	}}
}

// SIRClasses are the tasks of the two published classes of epidemics: class 0 has (beta, gamma) = (0.25, 0.7), said to
// die out, and class 1 (0.3, 0.3), said to spread. The package documentation lists the settings that were not
// published.
func SIRClasses() []Task {
	dies, spreads := SIR(0.25, 0.7), SIR(0.3, 0.3)
	dies.Amplitude = Amplitude{0.5, 1}
	spreads.Amplitude = dies.Amplitude
	return []Task{dies, spreads}
}

// Channels of the states of an epidemic.
const (
	infected = 1 + iota
	removed
	sirChannels
)

// RemovedRatio estimates gamma of an epidemic, since R' = gamma I: the change of R from the first observation to the
// last, over the integral of I by the trapezoid rule, both summed over the nodes. Times [T] increase strictly; states
// [T][nodes*3] have S, I and R of each node. It learns nothing, yet a threshold of 0.5 separates [SIRClasses]. Its
// error wraps [ErrTrajectory] if times and states do not fit together or are fewer than 2, or if the integral is not
// positive, as when nobody is infected.
func RemovedRatio(times []float64, states [][]float64) (float64, error) {
	refuse := func(format string, args ...any) error {
		return errs.New(ErrTrajectory, "datasets/synthetic: removed ratio: %s", fmt.Sprintf(format, args...))
	}
	if len(times) < 2 || len(states) != len(times) {
		return 0, refuse("states of %d observations at %d times, want equally many, at least 2", len(states), len(times))
	}
	for k, row := range states {
		if k > 0 && !(times[k] > times[k-1]) {
			return 0, refuse("time %d is %g after %g, want times that increase strictly", k, times[k], times[k-1])
		}
		if len(row) == 0 || len(row)%sirChannels != 0 || len(row) != len(states[0]) {
			return 0, refuse("%d states at observation %d, want the %d of an epidemic for each node, S, I, R, at all "+
				"observations", len(row), k, sirChannels)
		}
	}
	integral, total := integrate.Trapezoidal(times, totals(states, infected)), totals(states, removed)
	ratio := (total[len(total)-1] - total[0]) / integral
	if !(integral > 0) || math.IsInf(integral, 1) || math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return 0, refuse("the integral of I is %g and R goes from %g to %g, want a positive integral of finite states",
			integral, total[0], total[len(total)-1])
	}
	return ratio, nil
}

// totals are the sum of a channel over the nodes at each observation.
func totals(states [][]float64, channel int) []float64 {
	sums := make([]float64, len(states))
	for k, row := range states {
		for i := channel; i < len(row); i += sirChannels {
			sums[k] += row[i]
		}
	}
	return sums
}

// Noisy returns a copy with independent Gaussian noise added to S, I and R of every node at every observation, which
// may make them negative. Its standard deviation is a share of the largest I in the whole set: with the largest I of
// each trajectory, the size of the noise would reveal the class. Draws depend only on the seed and on the position in
// the set, so two shares can be compared with the same draws; use different seeds for training, validation and test.
// Errors wrap [ErrConfig] for a share that is negative or not finite, and [ErrTrajectory] for states that are not an
// epidemic's.
func (s *ClassSet) Noisy(share float64, seed uint64) (*ClassSet, error) {
	if !(share >= 0) || math.IsInf(share, 1) {
		return nil, errs.New(ErrConfig, "datasets/synthetic: noise of %g times the largest I, want a finite number of "+
			"at least 0", share)
	}
	largest := 0.0
	for i := range s.Trajectories {
		t := &s.Trajectories[i]
		if err := t.checkSIR(); err != nil {
			return nil, errs.In(fmt.Sprintf("datasets/synthetic: noise on trajectory %d", i), err)
		}
		for _, states := range t.Values {
			for u := range t.Pattern.Nodes {
				largest = max(largest, states[sirChannels*u+infected])
			}
		}
	}
	noisy := &ClassSet{Trajectories: slices.Clone(s.Trajectories), Labels: slices.Clone(s.Labels)}
	for i := range noisy.Trajectories {
		rng, t := stream(seed, noiseStream, i), &noisy.Trajectories[i]
		t.Values = slices.Clone(t.Values)
		for k, states := range t.Values {
			t.Values[k] = slices.Clone(states)
			for j := range states {
				t.Values[k][j] += float64(share * largest * rng.NormFloat64())
			}
		}
	}
	return noisy, nil
}

// checkSIR refuses trajectories that are not of an epidemic.
func (t *Trajectory) checkSIR() error {
	if err := t.check(); err != nil {
		return err
	}
	if got := len(t.Values[0]) / t.Pattern.Nodes; got != sirChannels {
		return errs.New(ErrTrajectory, "states of %d channels, want the %d of an epidemic: S, I, R", got, sirChannels)
	}
	return nil
}
