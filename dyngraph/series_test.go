package dyngraph_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// ring returns a directed ring of n nodes at T times, with p features and one target per node.
func ring(n, snapshots, p int) *dyngraph.Series {
	var from, to []int
	for u := range n {
		from, to = append(from, u), append(to, (u+1)%n)
	}
	pattern, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		panic(err)
	}
	s := &dyngraph.Series{Name: "ring", Pattern: pattern, FeatureSize: p, TargetSize: 1}
	row := func(size, i int) []float64 {
		values := make([]float64, size)
		for j := range values {
			values[j] = float64(100*i + j)
		}
		return values
	}
	for i := range snapshots {
		s.Times = append(s.Times, 0.5*float64(i*i)+2)
		s.Weights = append(s.Weights, row(pattern.Edges(), i))
		s.Features = append(s.Features, row(n*p, i))
		s.Targets = append(s.Targets, row(n, i))
	}
	return s
}

func TestValidate(t *testing.T) {
	if err := ring(4, 5, 2).Validate(); err != nil {
		t.Fatalf("a sound series: %v", err)
	}
	withoutTargets := ring(4, 5, 2)
	withoutTargets.Targets, withoutTargets.TargetSize = nil, 0
	if err := withoutTargets.Validate(); err != nil {
		t.Errorf("without targets: %v", err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	gaps := ring(4, 5, 2)
	gaps.Features[1][5], gaps.Targets[2][0] = nan, nan
	gaps.LastObserved, gaps.RecentMean = slices.Repeat([][]float64{{1, nan, 2, 3}}, 5),
		slices.Repeat([][]float64{{nan, 1, 2, 3}}, 5)
	gaps.NodeNames, gaps.Dates = []string{"a", "b", "c", "d"}, days(5)
	if err := gaps.Validate(); err != nil {
		t.Errorf("missing values: %v", err)
	}
	for _, c := range []struct {
		name   string
		damage func(s *dyngraph.Series)
		says   string
	}{
		{"no pattern", func(s *dyngraph.Series) { s.Pattern = nil }, "no nodes"},
		{"no edges", func(s *dyngraph.Series) { s.Pattern = &dyngraph.Pattern{Nodes: 4} }, "no edges"},
		{"edge beyond nodes", func(s *dyngraph.Series) { s.Pattern.To[3] = 4 },
			"edge 3 joins 3 -> 4, want nodes in 0..3"},
		{"negative edge", func(s *dyngraph.Series) { s.Pattern.From[0] = -1 }, "edge 0 joins -1"},
		{"edge twice", func(s *dyngraph.Series) { s.Pattern.From[1], s.Pattern.To[1] = 0, 1 }, "each once"},
		{"ragged pattern", func(s *dyngraph.Series) { s.Pattern.To = s.Pattern.To[:3] }, "4 sources and 3 targets"},
		{"no snapshots", func(s *dyngraph.Series) { s.Times = nil }, "no snapshots"},
		{"times repeat", func(s *dyngraph.Series) { s.Times[2] = s.Times[1] }, "time of snapshot 2 is 2.5 after 2.5"},
		{"times fall", func(s *dyngraph.Series) { s.Times[4] = 0 }, "time of snapshot 4"},
		{"time NaN", func(s *dyngraph.Series) { s.Times[0] = nan }, "time of snapshot 0 is NaN"},
		{"weights missing", func(s *dyngraph.Series) { s.Weights = s.Weights[:4] }, "weights of 4 snapshots"},
		{"weights short", func(s *dyngraph.Series) { s.Weights[2] = s.Weights[2][:1] },
			"weights of snapshot 2 hold 1 entries, want 4"},
		{"weight infinite", func(s *dyngraph.Series) { s.Weights[1][2] = inf },
			"snapshot 1: weight of edge 2 -> 3 is +Inf"},
		{"no features", func(s *dyngraph.Series) { s.FeatureSize = 0 }, "feature size 0"},
		{"features short", func(s *dyngraph.Series) { s.Features[3] = nil },
			"features of snapshot 3 hold 0 entries, want 8"},
		{"feature infinite", func(s *dyngraph.Series) { s.Features[1][5] = inf },
			"snapshot 1, node 2: feature 1 is +Inf, want a finite number, or NaN where it is missing"},
		{"weight NaN", func(s *dyngraph.Series) { s.Weights[3][0] = nan }, "snapshot 3: weight of edge 0 -> 1 is NaN"},
		{"newest infinite", func(s *dyngraph.Series) {
			s.LastObserved = slices.Repeat([][]float64{{1, 2, inf, 3}}, 5)
		}, "snapshot 0, node 2: newest value 0 is +Inf, want a finite number"},
		{"recent infinite, no targets", func(s *dyngraph.Series) {
			s.Targets, s.RecentMean = nil, slices.Repeat([][]float64{{1, 2, inf, 3}}, 5)
		}, "snapshot 0, node 2: recent mean 0 is +Inf, want a finite number"},
		{"recent of no size", func(s *dyngraph.Series) {
			s.Targets, s.TargetSize, s.RecentMean = nil, 0, slices.Repeat([][]float64{{1, 2, 3, 4}}, 5)
		}, "target size 0 beside"},
		{"recent missing, no targets", func(s *dyngraph.Series) {
			s.Targets, s.RecentMean = nil, slices.Repeat([][]float64{{1, 2, 3, 4}}, 4)
		}, "recent means of 4 snapshots"},
		{"target size", func(s *dyngraph.Series) { s.TargetSize = 0 }, "target size 0"},
		{"huge target size", func(s *dyngraph.Series) { s.TargetSize = 1 << 40 }, "want 1 to 1048576"},
		{"huge size, no targets", func(s *dyngraph.Series) { s.Targets, s.TargetSize = nil, 1<<40 },
			"want 0 to 1048576"},
		{"too many nodes", func(s *dyngraph.Series) { s.Pattern.Nodes = 1 << 31 }, "2147483648 nodes, want at most"},
		{"target infinite", func(s *dyngraph.Series) { s.Targets[4][3] = -inf },
			"snapshot 4, node 3: target 0 is -Inf"},
		{"names", func(s *dyngraph.Series) { s.NodeNames = []string{"a"} }, "1 node names"},
		{"empty name", func(s *dyngraph.Series) { s.NodeNames = []string{"a", "b", " ", "d"} },
			`node 2 has the name " "`},
		{"name twice", func(s *dyngraph.Series) { s.NodeNames = []string{"a", "b", "c", "b"} },
			`nodes 1 and 3 have the same name "b"`},
		{"dates", func(s *dyngraph.Series) { s.Dates = days(4) }, "4 dates, want none or one for each of 5 snapshots"},
		{"date twice", func(s *dyngraph.Series) { s.Dates = days(5); s.Dates[3] = s.Dates[2] },
			"date of snapshot 3 is 2020-03-03"},
		{"scales missing", func(s *dyngraph.Series) { s.Scales = make([]dyngraph.Scale, 1) }, "1 scales"},
		{"scales short", func(s *dyngraph.Series) { s.Scales = make([]dyngraph.Scale, 5) }, "0 means"},
		{"scales of more targets", func(s *dyngraph.Series) {
			s.Scales = slices.Repeat([]dyngraph.Scale{{Targets: 7}}, len(s.Times))
		}, "7 targets"},
		{"scale of 0", func(s *dyngraph.Series) {
			s.Scales = slices.Repeat([]dyngraph.Scale{{Mean: make([]float64, 4), Std: make([]float64, 4)}}, 5)
		}, "node 0 has mean 0 and deviation 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ring(4, 5, 2)
			c.damage(s)
			err := s.Validate()
			if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want ErrInvalid saying %q", err, c.says)
			}
			if _, chained := s.Windows(2, 1).Split(0.4, 0.3, 1); !errors.Is(chained, dyngraph.ErrInvalid) {
				t.Errorf("windows of it: error %v, want ErrInvalid", chained)
			}
		})
	}
}

// days are consecutive, from 1 March 2020 on.
func days(count int) []time.Time {
	dates := make([]time.Time, count)
	for i := range dates {
		dates[i] = time.Date(2020, time.March, 1+i, 0, 0, 0, 0, time.UTC)
	}
	return dates
}

func TestNewPatternErrors(t *testing.T) {
	for name, err := range map[string]error{
		"no nodes": second(dyngraph.NewPattern(0, nil, nil)),
		"too many": second(dyngraph.NewPattern(1<<40, []int{1 << 35}, []int{0})),
		"ragged":   second(dyngraph.NewPattern(2, []int{0}, nil)),
		"beyond":   second(dyngraph.NewPattern(129, []int{0, 128}, []int{1, 129})),
		"negative": second(dyngraph.NewPattern(2, []int{-1}, []int{1})),
	} {
		if !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}

func second(_ *dyngraph.Pattern, _ []int, err error) error { return err }

// With Log1p values are restored from the logarithm, and none is negative.
func TestScaleRestoreLog1p(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := dyngraph.Scale{Mean: []float64{rapid.Float64Range(-5, 5).Draw(t, "mean")},
			Std: []float64{rapid.Float64Range(0.1, 5).Draw(t, "std")}, Log1p: true}
		y := rapid.Float64Range(0, 1e6).Draw(t, "value")
		got, err := scale.Restore([]float64{(math.Log1p(y) - scale.Mean[0]) / scale.Std[0],
			rapid.Float64Range(-10, 10).Draw(t, "any")})
		if err != nil || !(math.Abs(got[0]-y) <= 1e-9*(1+y)) || got[1] < 0 {
			t.Fatalf("%g is restored as %g, %v", y, got, err)
		}
	})
}

func TestScaleRestore(t *testing.T) {
	scale := dyngraph.Scale{Mean: []float64{1, 10}, Std: []float64{2, 5}}
	got, err := scale.Restore([]float64{0, 1, -1, 2})
	if want := []float64{1, 3, 5, 20}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if _, err := scale.Restore([]float64{1, 2, 3}); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("3 values of 2 nodes: error %v, want ErrInvalid", err)
	}
	scale = dyngraph.Scale{Mean: []float64{1, 10, 100, 1000}, Std: []float64{1, 2, 3, 4}, Targets: 2}
	got, err = scale.Restore([]float64{1, 1, 2, 2, 1, 1, 2, 2}) // two nodes, two lags, two targets
	if want := []float64{2, 12, 3, 14, 103, 1004, 106, 1008}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if _, err = scale.Restore(make([]float64, 6)); err == nil ||
		!strings.Contains(err.Error(), "6 values to restore with the scales of 2 nodes and 2 targets, want a multiple of 4") {
		t.Errorf("6 values: %v", err)
	}
	for name, bad := range map[string]struct {
		scale  dyngraph.Scale
		values int
	}{"an odd number": {scale, 6}, "no nodes": {dyngraph.Scale{Targets: 2}, 4},
		"half a node":                 {dyngraph.Scale{Mean: []float64{1, 2, 3}, Std: []float64{1, 2, 3}, Targets: 2}, 6},
		"fewer deviations than means": {dyngraph.Scale{Mean: []float64{1, 2}, Std: []float64{1}}, 2}} {
		if _, err := bad.scale.Restore(make([]float64, bad.values)); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}

func ExampleSeries() {
	// Two cities, three days; people move from 0 to 1 on the first and last day.
	pattern, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := &dyngraph.Series{
		Name: "cities", NodeNames: []string{"north", "south"}, Pattern: pattern,
		Times:    []float64{0, 1, 3},
		Weights:  [][]float64{{250}, {0}, {90}},
		Features: [][]float64{{5, 1}, {6, 2}, {8, 2}}, FeatureSize: 1,
	}
	fmt.Println(s.Nodes(), "nodes:", s.Validate())
	s.Features[2][1] = math.NaN() // not observed
	fmt.Println("with a gap:", s.Validate())
	s.Weights[2][0] = math.NaN()
	fmt.Println(s.Validate())
	// Output:
	// 2 nodes: <nil>
	// with a gap: <nil>
	// dyngraph: series "cities": snapshot 2: weight of edge 0 -> 1 is NaN, want a finite number (0 where the edge is absent)
}

func TestUsed(t *testing.T) {
	p, _, err := dyngraph.NewPattern(4, []int{0, 1, 2, 3}, []int{1, 1, 3, 0})
	if err != nil {
		t.Fatal(err)
	}
	used, on := p.Used([][]float64{{0, 2, 0, 0}, {0, 0, 0, -1}})
	if err := used.Validate(); err != nil || fmt.Sprint(*used, on) != "{4 [1 3] [1 0]} [[2 0] [0 -1]]" {
		t.Errorf("%v %v, %v", *used, on, err)
	}
	if none, on := p.Used(nil); none.Edges() != 0 || len(on) != 0 {
		t.Errorf("of no snapshots: %v %v", none, on)
	}
}
