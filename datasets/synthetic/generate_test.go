package synthetic_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func generate(t testing.TB, c synthetic.Config) *synthetic.Set {
	t.Helper()
	set, err := synthetic.Generate(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// small takes a moment.
func small(task synthetic.Task) synthetic.Config {
	return synthetic.Config{Family: graphs.Grid{}, Task: task, Nodes: 30, Graphs: 2, EventProbability: 0.005,
		Seed: 1234}
}

// The numbers of the published experiments.
func TestPublishedSizes(t *testing.T) {
	set := generate(t, synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Seed: 1})
	if len(set.Trajectories) != 4 || len(set.Train) != 80 || len(set.Interpolation) != 20 ||
		len(set.Extrapolation) != 20 {
		t.Errorf("%d trajectories, %d, %d, %d observations, want 4, 80, 20, 20", len(set.Trajectories), len(set.Train),
			len(set.Interpolation), len(set.Extrapolation))
	}
	all := slices.Concat(set.Train, set.Interpolation, set.Extrapolation)
	slices.Sort(all)
	for k, index := range all {
		if k != index {
			t.Fatalf("observations %v, want each of 0..119 once", all)
		}
	}
	if set.Train[0] != 0 || set.Extrapolation[0] != 100 {
		t.Errorf("training starts at %d and extrapolation at %d, want 0 and 100", set.Train[0], set.Extrapolation[0])
	}
	heights := map[float64]int{}
	for b, trajectory := range set.Trajectories {
		if trajectory.Pattern.Nodes != 400 || len(trajectory.Snapshots) != 13 || len(trajectory.Values) != 120 {
			t.Errorf("trajectory %d has %d nodes, %d snapshots, %d values, want 400, 13, 120", b,
				trajectory.Pattern.Nodes, len(trajectory.Snapshots), len(trajectory.Values))
		}
		events := trajectory.Events
		if len(events) != 12 || events[0] < 2 || events[9] >= 96 || events[10] < 96 || events[11] >= 120 ||
			!slices.Equal(events, set.Trajectories[0].Events) {
			t.Errorf("events of trajectory %d at %v, want 10 in 2..95 and 2 in 96..119 for all", b, events)
		}
		if times := trajectory.Times; times[0] != 0 || times[119] > 5 || times[119] < 4.5 {
			t.Errorf("times of trajectory %d from %g to %g, want 0 to nearly 5", b, times[0], times[119])
		}
		for _, x := range trajectory.Times {
			if point := x / 5 * 999; !(math.Abs(point-math.Round(point)) <= 1e-9) {
				t.Errorf("time %g is not one of the 1000 of the pool", x)
			}
		}
		pixels := map[float64]int{}
		for _, v := range trajectory.Values[0] {
			if v != 0 {
				pixels[v]++
				heights[v]++
			}
			if v != 0 && (v < 25 || v > 40) {
				t.Errorf("amplitude %g, want 25 to 40", v)
			}
		}
		// 4x4, 6x6 and 4x6 pixels of 20x20.
		if count := slices.Sorted(func(yield func(int) bool) {
			for _, n := range pixels {
				if !yield(n) {
					return
				}
			}
		}); !slices.Equal(count, []int{16, 24, 36}) {
			t.Errorf("rectangles of %v pixels, want 16, 24, 36", count)
		}
	}
	if len(heights) != 12 {
		t.Errorf("%d amplitudes, want one for each of 12 rectangles", len(heights))
	}
}

// Draws are the same on every machine. What was simulated may differ in the last digits, where products and sums fuse.
func TestSameDraws(t *testing.T) {
	hash := sha256.New()
	put := func(values any) {
		if err := binary.Write(hash, binary.LittleEndian, values); err != nil {
			t.Fatal(err)
		}
	}
	set := generate(t, small(synthetic.Heat))
	for _, trajectory := range set.Trajectories {
		put(trajectory.Times)
		put(trajectory.Values[0])
		for _, k := range slices.Concat(trajectory.Events, set.Train) {
			put(int32(k))
		}
	}
	const want = "feac0d3f136d08909fe029231fdb0d68f78fa39fbce5d1df182340b718f60179"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("draws have sha256 %s, want %s", got, want)
	}
}

func TestSeeds(t *testing.T) {
	one, again := generate(t, small(synthetic.Gene)), generate(t, small(synthetic.Gene))
	if d := cmp.Diff(one, again); d != "" {
		t.Errorf("one seed, two sets: %s", d)
	}
	c := small(synthetic.Gene)
	c.Seed++
	other := generate(t, c)
	a, b := one.Trajectories, other.Trajectories
	for what, same := range map[string]bool{
		"times": slices.Equal(a[0].Times, b[0].Times) || slices.Equal(a[0].Times,
			a[1].Times) || slices.Equal(a[1].Times, b[0].Times),
		"start": slices.Equal(a[0].Values[0], b[0].Values[0]) || slices.Equal(a[0].Values[0],
			a[1].Values[0]) || slices.Equal(a[1].Values[0], b[0].Values[0]),
		"events":       slices.Equal(a[0].Events, b[0].Events),
		"split":        slices.Equal(one.Train, other.Train),
		"graph":        cmp.Equal(a[0].Pattern, b[0].Pattern) || cmp.Equal(a[0].Pattern, a[1].Pattern),
		"sample, seed": !cmp.Equal(a[1].Pattern, b[0].Pattern), // seed + b, as published
	} {
		if same {
			t.Errorf("%s: the same, or not the same, for other seeds or trajectories", what)
		}
	}
}

// The published states stand still before an event; ours move on with the graph before it.
func TestFrozenGap(t *testing.T) {
	c := small(synthetic.Heat)
	moving := generate(t, c)
	c.AsPublished = true
	frozen := generate(t, c)
	for b, trajectory := range moving.Trajectories {
		first := trajectory.Events[0]
		for k := range trajectory.Times {
			published := frozen.Trajectories[b].Values[k]
			if _, event := slices.BinarySearch(trajectory.Events, k); event {
				if !slices.Equal(published, frozen.Trajectories[b].Values[k-1]) {
					t.Errorf("trajectory %d: published states move before event at %d", b, k)
				}
				if floats.Equal(trajectory.Values[k], trajectory.Values[k-1]) {
					t.Errorf("trajectory %d: states stand still before event at %d", b, k)
				}
			}
			// Steps end elsewhere, so states differ by the error of the method from the start.
			if same := floats.EqualApprox(published, trajectory.Values[k], 1e-6); same != (k < first) && k <= first {
				t.Errorf("trajectory %d: same states at %d: %v, first event at %d", b, k, same, first)
			}
		}
	}
}

// The default is what a simulation in one go would give, on each graph up to the observation at which the next is in
// force.
func TestEvolvesThroughEvents(t *testing.T) {
	c := small(synthetic.Heat)
	trajectory := generate(t, c).Trajectories[0]
	state := trajectory.Values[0]
	for k := 1; k < len(trajectory.Times); k++ {
		values, err := dynamics.Simulate(context.Background(), dynamics.Problem{
			Dynamics: dynamics.Heat, Start: state, Times: trajectory.Times[k-1 : k+1], Pattern: trajectory.Pattern,
			Snapshots: trajectory.Snapshots[trajectory.Index[k-1]:], Step: 0.002,
		})
		if err != nil {
			t.Fatal(err)
		}
		if state = values[1]; !floats.EqualApprox(state, trajectory.Values[k], 1e-6) {
			t.Fatalf("states at observation %d differ by up to %g", k,
				floats.Distance(state, trajectory.Values[k], math.Inf(1)))
		}
	}
}

func TestTasks(t *testing.T) {
	for _, task := range []synthetic.Task{
		synthetic.Heat, synthetic.Gene, synthetic.Wealth, synthetic.Opinion, synthetic.Mutualistic, synthetic.SIR(0.3,
			0.3), synthetic.Contact(0.2),
	} {
		set := generate(t, small(task))
		states := task.Dynamics.States()
		for _, trajectory := range set.Trajectories {
			moved := 0.0
			for _, values := range trajectory.Values {
				if len(values) != trajectory.Pattern.Nodes*states {
					t.Fatalf("%s: %d values for %d nodes", task.Dynamics.Name, len(values), trajectory.Pattern.Nodes)
				}
				moved = max(moved, floats.Distance(values, trajectory.Values[0], math.Inf(1)))
			}
			if moved < 0.1 {
				t.Errorf("%s: states move by %g at most", task.Dynamics.Name, moved)
			}
		}
	}
}

func TestSmallImages(t *testing.T) {
	for _, nodes := range []int{2, 3, 4, 5, 9, 10} {
		c := small(synthetic.Heat)
		c.Nodes = nodes
		for _, trajectory := range generate(t, c).Trajectories {
			if n := trajectory.Pattern.Nodes; n < nodes || floats.Max(trajectory.Values[0]) < 25 {
				t.Errorf("%d nodes: got %d, largest start %g", nodes, n, floats.Max(trajectory.Values[0]))
			}
		}
	}
}

func TestBadConfigs(t *testing.T) {
	for name, change := range map[string]func(*synthetic.Config){
		"no family":            func(c *synthetic.Config) { c.Family = nil },
		"no task":              func(c *synthetic.Config) { c.Task = synthetic.Task{} },
		"channels, no start":   func(c *synthetic.Config) { c.Task = synthetic.SIR(1, 1); c.Task.Start = nil },
		"negative nodes":       func(c *synthetic.Config) { c.Nodes = -1 },
		"negative graphs":      func(c *synthetic.Config) { c.Graphs = -1 },
		"one tick":             func(c *synthetic.Config) { c.Ticks = 1 },
		"too few ticks":        func(c *synthetic.Config) { c.Ticks = 8 },
		"too many ticks":       func(c *synthetic.Config) { c.Ticks = math.MaxInt / 11 },
		"too many events":      func(c *synthetic.Config) { c.Events = 121 },
		"negative events":      func(c *synthetic.Config) { c.Events = -1 },
		"negative probability": func(c *synthetic.Config) { c.EventProbability = -0.1 },
		"large probability":    func(c *synthetic.Config) { c.EventProbability = 0.06 },
		"NaN probability":      func(c *synthetic.Config) { c.EventProbability = math.NaN() },
		"NaN amplitude":        func(c *synthetic.Config) { c.Amplitude.Low = math.NaN() },
		"infinite amplitude":   func(c *synthetic.Config) { c.Amplitude.High = math.Inf(1) },
		"amplitudes fall":      func(c *synthetic.Config) { c.Amplitude = synthetic.Amplitude{Low: 2, High: 1} },
		"negative horizon":     func(c *synthetic.Config) { c.Horizon = -5 },
		"NaN step":             func(c *synthetic.Config) { c.Step = math.NaN() },
	} {
		c := small(synthetic.Heat)
		change(&c)
		if set, err := synthetic.Generate(context.Background(), c); !errors.Is(err, synthetic.ErrConfig) || set != nil {
			t.Errorf("%s: %v, %v, want ErrConfig", name, set, err)
		}
		if _, err := (synthetic.Cache{Folder: t.TempDir()}).Generate(context.Background(), c); !errors.Is(err,
			synthetic.ErrConfig) {
			t.Errorf("%s: %v, want ErrConfig of a cache too", name, err)
		}
	}
}

func TestGenerateFails(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := synthetic.Generate(ctx, small(synthetic.Heat)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	c := small(synthetic.Heat)
	c.Task.Dynamics.Rate = dynamics.Pairwise(func(x float64) float64 { return math.Log(-1 - x) },
		func(_, _ float64) float64 { return 0 })
	if _, err := synthetic.Generate(context.Background(), c); !errors.Is(err, dynamics.ErrNotFinite) {
		t.Errorf("error %v of a logarithm below 0, want dynamics.ErrNotFinite", err)
	}
	c.Family = failing{}
	if _, err := synthetic.Generate(context.Background(), c); !errors.Is(err, errFamily) {
		t.Errorf("error %v, want that of the family", err)
	}
}

var errFamily = errors.New("no such graph")

type failing struct{ graphs.Grid }

func (failing) Draw(int, *rand.Rand) (*dyngraph.Pattern, error) { return nil, errFamily }

func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			c := synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat, Nodes: n, Graphs: 1,
				EventProbability: min(0.05, 0.4/float64(n))}
			b.ReportAllocs()
			for b.Loop() {
				set := generate(b, c)
				bytes := 0
				for _, t := range set.Trajectories {
					bytes += 8*len(t.Values)*len(t.Values[0]) + 8*(1+len(t.Snapshots))*t.Pattern.Edges()
				}
				b.ReportMetric(float64(bytes)/1e6, "MB-kept")
			}
		})
	}
}
