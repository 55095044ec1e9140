package synthetic_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
)

// channel is the sum of one of S, I, R over the nodes at each observation.
func channel(t synthetic.Trajectory, which int) []float64 {
	var totals []float64
	for _, states := range t.Values {
		total := 0.0
		for u := range t.Pattern.Nodes {
			total += states[3*u+which]
		}
		totals = append(totals, total)
	}
	return totals
}

// What tells the classes apart, on the published grid: the largest eigenvalue of A is the largest one of a product of
// paths, (1 + 2 cos(pi/11))² - 1 = 7.52, so beta times it is above gamma in both classes, and the infected grow at
// first in both; with gamma 0.7 they are fewer at the end, and beyond [0, 1] at their most sooner.
func TestSIRClassesDifferAsDerived(t *testing.T) {
	grid, err := (graphs.Grid{}).Draw(100, nil)
	if err != nil {
		t.Fatal(err)
	}
	adjacency := mat.NewSymDense(100, nil)
	for e := range grid.From {
		adjacency.SetSym(int(grid.From[e]), int(grid.To[e]), 1)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(adjacency, false) {
		t.Fatal("no eigenvalues")
	}
	largest, path := floats.Max(eigen.Values(nil)), 1+2*math.Cos(math.Pi/11)
	if !(math.Abs(largest-(path*path-1)) <= 1e-12) || !(math.Abs(largest-7.5) <= 0.05) {
		t.Errorf("largest eigenvalue %g, want %g, about 7.5", largest, path*path-1)
	}

	set := classes(t, epidemics(100))
	for i, trajectory := range set.Trajectories {
		if sick := channel(trajectory, 1); !(sick[1] > sick[0]) {
			t.Errorf("trajectory %d of class %d: total I goes from %g to %g, want it to rise", i, set.Labels[i],
				sick[0], sick[1])
		}
	}
	longer := epidemics(100)
	longer.Config.Horizon = 10
	for _, s := range []*synthetic.ClassSet{set, classes(t, longer)} {
		var peak, growth [2][]float64
		for i, trajectory := range s.Trajectories {
			sick, label := channel(trajectory, 1), s.Labels[i]
			most := floats.MaxIdx(sick)
			if s == set && most != 99 {
				t.Errorf("trajectory %d of class %d: I falls from %g on, want it to grow on [0, 1]", i, label,
					trajectory.Times[most])
			}
			peak[label] = append(peak[label], trajectory.Times[most])
			growth[label] = append(growth[label], sick[len(sick)-1]/sick[0])
		}
		if s != set && !(floats.Max(peak[0]) < floats.Min(peak[1])) {
			t.Errorf("infected at their most at %v and %v, want it sooner in class 0", peak[0], peak[1])
		}
		if !(floats.Max(growth[0]) < floats.Min(growth[1])) {
			t.Errorf("I at the end over I at the start %v and %v, want less in class 0", growth[0], growth[1])
		}
	}
}

func TestMassIsConserved(t *testing.T) {
	for i, trajectory := range classes(t, epidemics(40)).Trajectories {
		for k, states := range trajectory.Values {
			for u := range trajectory.Pattern.Nodes {
				if mass := floats.Sum(states[3*u : 3*u+3]); !(math.Abs(mass-1) <= 1e-10) {
					t.Fatalf("trajectory %d, observation %d, node %d: S + I + R is %.15g, want 1", i, k, u, mass)
				}
			}
		}
	}
}

// The ratio separates the classes without learning.
func TestRemovedRatioIsGamma(t *testing.T) {
	gammas := [2]float64{0.7, 0.3}
	for _, shape := range []float64{0, 3, 100} {
		c := epidemics(20)
		c.Config.Shape = shape
		set := classes(t, c)
		for i := range set.Trajectories {
			ratio, err := synthetic.RemovedRatio(set.Trajectories[i].Times, set.Trajectories[i].Values)
			if want := gammas[set.Labels[i]]; err != nil || !(math.Abs(ratio-want) <= 0.02) {
				t.Errorf("shape %g, trajectory %d: ratio %g, %v, want about %g", shape, i, ratio, err, want)
			}
		}
	}
}

func TestRemovedRatioErrors(t *testing.T) {
	times := []float64{0, 0.5, 1}
	rows := func(row ...float64) [][]float64 { return slices.Repeat([][]float64{row}, 3) }
	good := []float64{0.5, 0.5, 0}
	for name, c := range map[string]struct {
		times  []float64
		states [][]float64
	}{
		"nothing":          {nil, nil},
		"no states":        {times, nil},
		"one time too few": {times[:2], rows(good...)},
		"one observation":  {times[:1], rows(good...)[:1]},
		"nobody infected":  {times, rows(1, 0, 0)},
		"fewer than none":  {times, rows(1, -1, 0)},
		"not a number":     {times, rows(1, math.NaN(), 0)},
		"infinitely many":  {times, rows(1, math.Inf(1), 0)},
		"one channel":      {times, rows(1)},
		"no node":          {times, rows()},
		"a node comes":     {times, [][]float64{good, good, append(good, good...)}},
		"times in reverse": {[]float64{1, 0.5, 0}, rows(good...)},
		"times repeat":     {[]float64{0, 0.5, 0.5}, rows(good...)},
		"time unknown":     {[]float64{0, math.NaN(), 1}, rows(good...)},
	} {
		if ratio, err := synthetic.RemovedRatio(c.times, c.states); !errors.Is(err, synthetic.ErrTrajectory) || ratio != 0 {
			t.Errorf("%s: %g, %v, want ErrTrajectory", name, ratio, err)
		}
	}
	if ratio, err := synthetic.RemovedRatio(times, rows(good...)); err != nil || ratio != 0 {
		t.Errorf("nobody recovers: %g, %v, want 0", ratio, err)
	}
}

func TestNoise(t *testing.T) {
	set := classes(t, epidemics(40))
	clean, largest := []float64(nil), 0.0
	for _, trajectory := range set.Trajectories {
		for _, states := range trajectory.Values {
			clean = append(clean, states...)
			for u := range trajectory.Pattern.Nodes {
				largest = max(largest, states[3*u+1])
			}
		}
	}
	draws := func(share float64, seed uint64) []float64 {
		noisy, err := set.Noisy(share, seed)
		if err != nil {
			t.Fatal(err)
		}
		var all []float64
		for _, trajectory := range noisy.Trajectories {
			for _, states := range trajectory.Values {
				all = append(all, states...)
			}
		}
		return floats.SubTo(all, all, clean)
	}
	small, double, other := draws(0.05, 1), draws(0.1, 1), draws(0.05, 2)
	n := float64(len(clean)) // 120,000 draws; intervals are four standard errors of mean, deviation and correlation
	mean, deviation := stat.MeanStdDev(small, nil)
	want := 0.05 * largest
	if !(math.Abs(mean) <= 4*want/math.Sqrt(n)) || !(math.Abs(deviation/want-1) <= 4/math.Sqrt(2*n)) {
		t.Errorf("noise of mean %g and deviation %g, want 0 and %g", mean, deviation, want)
	}
	if !floats.EqualApprox(floats.ScaleTo(make([]float64, len(small)), 2, small), double, 1e-12) {
		t.Error("noise of twice the share is not twice the noise")
	}
	for what, pair := range map[string][2][]float64{
		"seeds":        {small, other},
		"trajectories": {small[:12000], small[12000:24000]},
		"observations": {small[:len(small)-300], small[300:]},
		"channels":     {small[:len(small)-1], small[1:]},
	} {
		if r := stat.Correlation(pair[0], pair[1], nil); !(math.Abs(r) <= 4/math.Sqrt(float64(len(pair[0])))) {
			t.Errorf("noise of neighbouring %s has a correlation of %g, want none", what, r)
		}
	}
	if none := draws(0, 1); floats.Norm(none, math.Inf(1)) != 0 {
		t.Error("noise of share 0 is not none")
	}
}

func TestNoiseErrors(t *testing.T) {
	set := classes(t, epidemics(20))
	for _, share := range []float64{-0.1, math.NaN(), math.Inf(1)} {
		if noisy, err := set.Noisy(share, 1); !errors.Is(err, synthetic.ErrConfig) || noisy != nil {
			t.Errorf("share %g: %v, %v, want ErrConfig", share, noisy, err)
		}
	}
	heat := epidemics(20)
	heat.Tasks = []synthetic.Task{synthetic.Heat, synthetic.Gene}
	for name, s := range map[string]*synthetic.ClassSet{
		"heat": classes(t, heat), "zero trajectory": {Trajectories: make([]synthetic.Trajectory, 1), Labels: []int{0}},
	} {
		if noisy, err := s.Noisy(0.1, 1); !errors.Is(err, synthetic.ErrTrajectory) || noisy != nil {
			t.Errorf("%s: %v, %v, want ErrTrajectory", name, noisy, err)
		}
	}
}
