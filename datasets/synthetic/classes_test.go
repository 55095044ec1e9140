package synthetic_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// epidemics are ten, five in each class, on the published grid.
func epidemics(observations int) synthetic.Classes {
	return synthetic.Classes{Config: synthetic.Config{Family: graphs.Grid{}, Nodes: 100, Graphs: 5, Horizon: 1,
		Observations: observations, Seed: 1234}, Tasks: synthetic.SIRClasses()}
}

func classes(t testing.TB, c synthetic.Classes) *synthetic.ClassSet {
	t.Helper()
	set, err := synthetic.GenerateClasses(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestObservations(t *testing.T) {
	for _, n := range []int{20, 200} {
		for _, shape := range []float64{0, 0.5, 3, 100, 1e6} {
			c := epidemics(n)
			c.Config.Shape = shape
			set := classes(t, c)
			if want := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}; !slices.Equal(set.Labels, want) {
				t.Errorf("labels %v, want %v", set.Labels, want)
			}
			for i, trajectory := range set.Trajectories {
				times, events := trajectory.Times, trajectory.Events
				if len(times) != n || len(trajectory.Values) != n || times[0] != 0 {
					t.Errorf("%d times and states of %d, the first %g, want %d from 0 on", len(times),
						len(trajectory.Values), times[0], n)
				}
				if last := times[n-1]; shape > 0 && last != 1 || last > 1 {
					t.Errorf("shape %g: the last time is %g, want 1, or less for times of the pool", shape, last)
				}
				for k := range times[1:] {
					if !(times[k+1] > times[k]) {
						t.Errorf("shape %g: time %d is %g, after %g", shape, k+1, times[k+1], times[k])
					}
				}
				late := 4 * n / 5
				if len(events) != 12 || events[0] < 2 || events[9] >= late || events[10] < late || events[11] >= n {
					t.Errorf("events of trajectory %d at %v, want 10 from 2 on and 2 from %d on", i, events, late)
				}
			}
		}
	}
}

// With shape 0.1 an increment in fifty is lost in rounding.
func TestTimesThatCoincideAreDrawnAgain(t *testing.T) {
	c := epidemics(20)
	c.Config.Shape, c.Config.Graphs, c.Config.Nodes = 0.1, 50, 4
	for i, trajectory := range classes(t, c).Trajectories {
		if times := trajectory.Times; !slices.IsSorted(times) || len(slices.Compact(slices.Clone(times))) != 20 {
			t.Errorf("trajectory %d: times %v, want them to increase strictly", i, times)
		}
	}
}

func TestPoolOfObservations(t *testing.T) {
	for _, trajectory := range classes(t, epidemics(20)).Trajectories {
		for _, x := range trajectory.Times {
			if point := x * 199; !(math.Abs(point-math.Round(point)) <= 1e-9) {
				t.Errorf("time %g is not one of the 200 of the pool", x)
			}
		}
	}
}

// With k and m increments each is a Beta(k, (m-1) k) share of the horizon, of mean 1/m and variance
// (m-1)/(m² (m k + 1)).
func TestIncrements(t *testing.T) {
	for _, shape := range []float64{0.5, 1, 3, 25, 100} {
		c := epidemics(101)
		c.Config.Shape, c.Config.Graphs = shape, 100
		c.Config.Nodes, c.Config.Horizon, c.Config.Step = 4, 2, 1
		var increments []float64
		for _, trajectory := range classes(t, c).Trajectories {
			for k := range trajectory.Times[1:] {
				increments = append(increments, (trajectory.Times[k+1]-trajectory.Times[k])/2)
			}
		}
		mean, variance := stat.MeanVariance(increments, nil)
		want := 99 / (1e4 * (100*shape + 1))
		// 20,000 increments: the variance has a relative standard error of sqrt((kurtosis-1)/20000), 1% to 3% here.
		if !(math.Abs(mean*100-1) <= 1e-12) || !(math.Abs(variance/want-1) <= 0.1) {
			t.Errorf("shape %g: increments of mean %g and variance %g, want 0.01 and %g", shape, mean, variance, want)
		}
		if skew := stat.Skew(increments, nil); !(math.Abs(skew*math.Sqrt(shape)/2-1) <= 0.2) {
			t.Errorf("shape %g: skewness %g, want about %g", shape, skew, 2/math.Sqrt(shape))
		}
	}
}

func TestObservationsOfASet(t *testing.T) {
	c := epidemics(30).Config
	c.Task = synthetic.SIR(0.3, 0.3)
	set := generate(t, c)
	if len(set.Train) != 30 || set.Train[29] != 29 || set.Interpolation != nil || set.Extrapolation != nil {
		t.Errorf("train %v, interpolation %v, extrapolation %v, want all 30 observations for training", set.Train,
			set.Interpolation, set.Extrapolation)
	}
	if times := set.Trajectories[0].Times; len(times) != 30 {
		t.Errorf("%d times, want 30", len(times))
	}
}

func TestClassesShareNoDraw(t *testing.T) {
	one := classes(t, epidemics(20))
	if !reflect.DeepEqual(one, classes(t, epidemics(20))) {
		t.Error("one seed, two sets")
	}
	next := epidemics(20)
	next.Config.Seed++
	all := slices.Concat(one.Trajectories, classes(t, next).Trajectories)
	for i, a := range all {
		for j, b := range all[:i] {
			if slices.Equal(a.Times, b.Times) || slices.Equal(a.Values[0], b.Values[0]) ||
				slices.Equal(a.Pattern.To, b.Pattern.To) || slices.Equal(a.Events, b.Events) {
				t.Errorf("trajectories %d and %d of two sets share times, start, events or changes of the graph", j, i)
			}
		}
	}
	more := epidemics(20)
	more.Config.Graphs = 6
	if !reflect.DeepEqual(one.Trajectories, classes(t, more).Trajectories[:10]) {
		t.Error("one trajectory more in each class changes the others")
	}
}

func TestClassWindows(t *testing.T) {
	set := classes(t, epidemics(20))
	windows, err := set.Windows()
	if err != nil || len(windows) != 10 {
		t.Fatalf("%d windows, %v, want 10", len(windows), err)
	}
	for i, w := range windows {
		if name := fmt.Sprintf("trajectory %d, class %d", i, i%2); w.Series.Name != name {
			t.Errorf("window %d is named %q, want %q", i, w.Series.Name, name)
		}
		if err := w.Validate(); err != nil || !w.Whole || w.Inputs() != 20 || w.Series.FeatureSize != 3 ||
			w.Targets() != nil || w.Series.TargetSize != 1 {
			t.Errorf("window %d: %v, %d inputs, %d features, targets %v, want a whole series of 20, 3 and none", i, err,
				w.Inputs(), w.Series.FeatureSize, w.Targets())
		}
		for k, target := range w.GraphTargets() {
			if last := k == 19; len(target) != 1 || math.IsNaN(target[0]) == last || last && target[0] != float64(i%2) {
				t.Errorf("window %d: graph target %v at snapshot %d, want NaN, at the last the label", i, target, k)
			}
		}
		if !reflect.DeepEqual(set.Trajectories[i].Values, w.Series.Features) {
			t.Errorf("window %d: features are not the states", i)
		}
	}
}

func TestClassWindowsErrors(t *testing.T) {
	for name, change := range map[string]func(*synthetic.ClassSet){
		"labels missing":    func(s *synthetic.ClassSet) { s.Labels = nil },
		"zero value":        func(s *synthetic.ClassSet) { *s = synthetic.ClassSet{} },
		"no class 0":        func(s *synthetic.ClassSet) { s.Labels = slices.Repeat([]int{1}, 10) },
		"no class 1":        func(s *synthetic.ClassSet) { s.Labels[3] = 2; s.Labels = slices.Repeat(s.Labels[2:4], 5) },
		"negative label":    func(s *synthetic.ClassSet) { s.Labels[3] = -1 },
		"zero trajectory":   func(s *synthetic.ClassSet) { s.Trajectories[3] = synthetic.Trajectory{} },
		"times in reverse":  func(s *synthetic.ClassSet) { slices.Reverse(s.Trajectories[3].Times) },
		"weight not finite": func(s *synthetic.ClassSet) { s.Trajectories[3].Snapshots[0][0] = math.NaN() },
	} {
		set := classes(t, epidemics(20))
		change(set)
		want := synthetic.ErrTrajectory
		if name == "weight not finite" {
			want = dyngraph.ErrInvalid
		}
		if windows, err := set.Windows(); !errors.Is(err, want) || windows != nil {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func TestBadClasses(t *testing.T) {
	for name, change := range map[string]func(*synthetic.Classes){
		"no class":          func(c *synthetic.Classes) { c.Tasks = nil },
		"one class":         func(c *synthetic.Classes) { c.Tasks = c.Tasks[:1] },
		"task of its own":   func(c *synthetic.Classes) { c.Config.Task = synthetic.Heat },
		"task not set":      func(c *synthetic.Classes) { c.Tasks[1] = synthetic.Task{} },
		"no trajectories":   func(c *synthetic.Classes) { c.Config.Graphs = -1 },
		"one observation":   func(c *synthetic.Classes) { c.Config.Observations = 1 },
		"negative":          func(c *synthetic.Classes) { c.Config.Observations = -20 },
		"too many":          func(c *synthetic.Classes) { c.Config.Observations = math.MaxInt },
		"no room to change": func(c *synthetic.Classes) { c.Config.Observations = 13 },
		"ticks too":         func(c *synthetic.Classes) { c.Config.Ticks = 20 },
		"shape, no number":  func(c *synthetic.Classes) { c.Config.Shape, c.Config.Observations = 3, 0 },
		"one too few":       func(c *synthetic.Classes) { c.Config.Observations = 14 },
		"negative shape":    func(c *synthetic.Classes) { c.Config.Shape = -3 },
		"NaN shape":         func(c *synthetic.Classes) { c.Config.Shape = math.NaN() },
		"infinite shape":    func(c *synthetic.Classes) { c.Config.Shape = math.Inf(1) },
		"tiny shape":        func(c *synthetic.Classes) { c.Config.Shape = 1e-3 },
		"tiniest shape":     func(c *synthetic.Classes) { c.Config.Shape = math.SmallestNonzeroFloat64 },
		"huge shape":        func(c *synthetic.Classes) { c.Config.Shape = math.MaxFloat64 },
	} {
		c := epidemics(20)
		change(&c)
		set, err := synthetic.GenerateClasses(context.Background(), c)
		if !errors.Is(err, synthetic.ErrConfig) || set != nil {
			t.Errorf("%s: %v, %v, want ErrConfig", name, set, err)
			continue
		}
		if strings.Count(err.Error(), "datasets/synthetic") != 1 {
			t.Errorf("%s: error %q, want the package once", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := synthetic.GenerateClasses(ctx, epidemics(20)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestIdentityOfClasses(t *testing.T) {
	identities := map[string]string{}
	for name, change := range map[string]func(*synthetic.Classes){
		"as it is":     func(*synthetic.Classes) {},
		"observations": func(c *synthetic.Classes) { c.Config.Observations = 40 },
		"ticks":        func(c *synthetic.Classes) { c.Config.Observations, c.Config.Ticks = 0, 20 },
		"shape":        func(c *synthetic.Classes) { c.Config.Shape = 3 },
		"other shape":  func(c *synthetic.Classes) { c.Config.Shape = 5 },
		"other order":  func(c *synthetic.Classes) { slices.Reverse(c.Tasks) },
		"third class":  func(c *synthetic.Classes) { c.Tasks = append(c.Tasks, synthetic.SIR(1, 1)) },
		"seed":         func(c *synthetic.Classes) { c.Config.Seed++ },
	} {
		c := epidemics(20)
		change(&c)
		identity, err := c.Identity()
		if other, found := identities[identity]; err != nil || found {
			t.Errorf("%s: the identity of %q, %v, want one of its own", name, other, err)
		}
		identities[identity] = name
	}
	c := epidemics(20)
	c.Tasks[1].Dynamics.Name = ""
	if _, err := c.Identity(); !errors.Is(err, synthetic.ErrConfig) {
		t.Errorf("class without a name: %v, want ErrConfig", err)
	}
}
