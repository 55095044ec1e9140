package table_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

const epsilon = 1e-12

// grown are targets of three nodes over days, NaN on day 6 at the second, and a node that does not change.
func grown(days int) [][]float64 {
	values := make([][]float64, days)
	for t := range values {
		values[t] = []float64{10 + float64(t*t), 3 * float64(t%4), 7}
	}
	values[6][1] = math.NaN()
	return values
}

func cell(v float64) string {
	if math.IsNaN(v) {
		return []string{"", "NA", "NaN", "null"}[len(fmt.Sprint(v))%4]
	}
	return fmt.Sprint(v)
}

// days writes edges and nodes of a series of days with the targets given, and beds that count from 100 up.
func days(t testing.TB, values [][]float64) (edges, nodes string) {
	t.Helper()
	e, n := "time,source,destination,weight\n", "time,node,cases,beds\n"
	for k, row := range values {
		date := time.Date(2020, 2, 25+k, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		e += fmt.Sprintf("%s,a,b,%d\n%[1]s,c,a,%[3]d\n", date, k+1, 2*k+1)
		for u, v := range row {
			n += fmt.Sprintf("%s,%c,%s,%d\n", date, 'a'+u, cell(v), 100+10*k+u)
		}
	}
	return write(t, "edges.csv", e), write(t, "nodes.csv", n)
}

// TestAlignment compares with the formulas of the package's documentation.
func TestAlignment(t *testing.T) {
	const T, n, lags = 12, 3, 3
	y := grown(T)
	edges, nodes := days(t, y)
	for _, ahead := range [][2]int{{1, 1}, {2, 2}, {4, 4}, {1, 2}, {2, 4}} {
		first, horizon := ahead[0], ahead[1]
		c, notices := small(edges, nodes)
		c.Lags, c.First, c.Horizon, c.TrainFraction = lags, first, horizon, 0.5
		data := read(t, c)
		s := data.Series
		if !strings.Contains(notices.String(), `column "cases" has no value for 1 of 36 pairs`) {
			t.Errorf("notices %q", notices)
		}
		// Scales of the first half of the days.
		mean, std := make([]float64, n), make([]float64, n)
		var beds []float64
		for u := range n {
			var seen []float64
			for k := range T / 2 {
				seen = append(seen, y[k][u])
				beds = append(beds, float64(100+10*k+u))
			}
			mean[u], std[u] = stat.PopMeanStdDev(seen, nil)
		}
		std[2] = 0.1 * max(std[0], std[1]) // a tenth of the median, the upper of two
		bedMean, bedStd := stat.PopMeanStdDev(beds, nil)
		z := func(t, u int) float64 { return (y[t][u] - mean[u]) / std[u] }
		if len(s.Times) != T-lags+1 || !s.Lagged || s.FeatureSize != lags+1 {
			t.Fatalf("%d snapshots, features of size %d", len(s.Times), s.FeatureSize)
		}
		for i := range s.Times {
			now := i + lags - 1
			var features, targets, newest, recent []float64
			for u := range n {
				sum, count, last := 0.0, 0.0, math.NaN()
				for k := now - lags + 1; k <= now; k++ {
					if v := z(k, u); !math.IsNaN(v) {
						sum, count, last = sum+v, count+1, v
					} else if math.IsNaN(last) {
						last = z(k-1, u)
					}
					features = append(features, last)
				}
				features = append(features, (float64(100+10*now+u)-bedMean)/bedStd)
				newest, recent = append(newest, last), append(recent, sum/count)
				for k := range horizon - first + 1 {
					target := math.NaN()
					if at := now + first + k - 1; at < T {
						target = z(at, u)
					}
					if got := s.AtStep(s.Targets[i], k)[u]; math.IsNaN(target) != math.IsNaN(got) {
						t.Errorf("target of snapshot %d, node %d, step %d is %g, want %g", i, u, k, got, target)
					} else if !math.IsNaN(target) {
						targets = append(targets, got, target)
					}
				}
			}
			for k := 0; k < len(targets); k += 2 {
				fixture.Close(t, "target", targets[k:k+1], targets[k+1:k+2], epsilon)
			}
			fixture.Close(t, "features", s.Features[i], features, epsilon)
			for k := range horizon - first + 1 {
				fixture.Close(t, "newest", s.AtStep(s.LastObserved[i], k), newest, epsilon)
				fixture.Close(t, "recent", s.AtStep(s.RecentMean[i], k), recent, epsilon)
			}
			fixture.Close(t, "weights", s.Weights[i], []float64{float64(now + 1), float64(2*now + 1)}, 0)
			if want := time.Date(2020, 2, 25+now, 0, 0, 0, 0, time.UTC); s.Times[i] != float64(i) || !s.Dates[i].Equal(want) {
				t.Errorf("snapshot %d is at %g, %v, want %v", i, s.Times[i], s.Dates[i], want)
			}
			restored, err := s.Scales[i].Restore(s.LastObserved[i])
			if err != nil || !(math.Abs(restored[0]-y[now][0]) <= epsilon*200) {
				t.Errorf("restored %v, %v, want %g first", restored, err, y[now][0])
			}
		}
		// The last target of a window is horizon days after its last input, and not known at the end.
		windows, err := s.Windows(3, 1).List()
		known, errKnown := s.Windows(3, 1).Observed().Complete().List()
		if err := errors.Join(err, errKnown); err != nil || len(known) != len(windows)-horizon+1 {
			t.Errorf("%d of %d windows have targets: %v", len(known), len(windows), err)
		}
		for _, w := range known {
			if in, out := w.Start+w.Inputs()-1+lags-1, w.StepsUsed().Last+lags-1; out != in+horizon {
				t.Errorf("last input at step %d, target at %d, want %d later", in, out, horizon)
			}
			if seen := w.Visible(); len(seen) != w.Inputs()+lags-1 || len(seen[0]) != n {
				t.Errorf("%d values visible of %d inputs", len(seen), w.Inputs())
			}
		}
	}
}

// With Log1p targets and lags are standardised logarithms, features are not, and Restore returns the file's values.
func TestLog1p(t *testing.T) {
	y := grown(12)
	for _, row := range y {
		for u := range row {
			row[u] = math.Abs(row[u])
		}
	}
	edges, nodes := days(t, y)
	c, _ := small(edges, nodes)
	c.Lags, c.Horizon, c.Scale = 2, 2, table.Log1p
	data := read(t, c)
	s := data.Series
	var logs []float64
	for k := range 7 { // 60% of 12 days
		logs = append(logs, math.Log1p(y[k][0]))
	}
	mean, std := stat.PopMeanStdDev(logs, nil)
	fixture.Close(t, "newest", s.LastObserved[3][:1], []float64{(math.Log1p(y[4][0]) - mean) / std}, epsilon)
	restored, err := s.Scales[0].Restore(s.Targets[3])
	if err != nil {
		t.Fatal(err)
	}
	fixture.Close(t, "targets of a node", restored[:2], []float64{y[4][0], y[5][0]}, epsilon)
	c.Scale = ""
	plain := read(t, c).Series
	for u := range s.Nodes() {
		at := (u+1)*s.FeatureSize - 1
		fixture.Close(t, "beds", s.Features[3][at:at+1], plain.Features[3][at:at+1], epsilon)
	}
	again, err := data.Recipe.Read(t.Context(), edges, nodes)
	if err != nil {
		t.Fatal(err)
	}
	fixture.Close(t, "by the recipe", again.LastObserved[3], s.LastObserved[3], 0)
}

// TestGaps keeps gaps where that is asked for; else a feature without any value before is the mean.
func TestGaps(t *testing.T) {
	y := grown(12)
	for k := range 4 {
		y[k][0] = math.NaN()
	}
	edges, nodes := days(t, y)
	for _, keep := range []bool{false, true} {
		c, _ := small(edges, nodes)
		c.Lags, c.KeepGaps, c.Nodes.Features = 2, keep, nil
		s := read(t, c).Series
		for _, at := range []struct{ snapshot, node int }{{0, 0}, {5, 1}} {
			lag := s.Features[at.snapshot][at.node*2+1] // of step snapshot+1: steps 1 and 6
			want := 0.0
			if at.node == 1 {
				want = s.LastObserved[at.snapshot-1][1]
			}
			if keep != math.IsNaN(lag) || !keep && lag != want {
				t.Errorf("keep %v: feature %g, want %g or NaN", keep, lag, want)
			}
			if got := s.LastObserved[at.snapshot][at.node]; got != want {
				t.Errorf("keep %v: newest %g, want %g", keep, got, want)
			}
			if !math.IsNaN(s.Targets[at.snapshot][at.node]) {
				t.Error("a target that was not observed is not NaN")
			}
		}
	}
}

// TestSeveralTargets gives each target of a node its own scale, which restores targets and lags.
func TestSeveralTargets(t *testing.T) {
	y := grown(12)
	edges, nodes := days(t, y)
	c, _ := small(edges, nodes)
	c.Nodes.Targets, c.Nodes.Features, c.Lags = []string{"beds", "cases"}, nil, 3
	s := read(t, c).Series
	if s.TargetSize != 2 || s.FeatureSize != 6 || s.Scales[0].Targets != 2 {
		t.Fatalf("targets of size %d, features of size %d", s.TargetSize, s.FeatureSize)
	}
	features, err := s.Scales[0].Restore(s.Features[0])
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for u := range 3 {
		for k := range 3 {
			want = append(want, float64(100+10*k+u), y[k][u])
		}
	}
	fixture.Close(t, "lags in the unit of the file", features, want, epsilon)
	for _, values := range (dyngraph.Window{Series: s, Start: 1, Length: 4}).Visible() {
		if len(values) != 6 {
			t.Errorf("%d values visible", len(values))
		}
	}
}

// TestConstant has values that do not change in the training times, but for rounding: they are divided by 1, or targets
// by what other nodes change by.
func TestConstant(t *testing.T) {
	y := grown(20)
	for k := range y {
		y[k][0], y[k][2] = 0.1, 0.7
		if k > 15 {
			y[k][0] = 5
		}
	}
	edges, nodes := days(t, y)
	c, _ := small(edges, nodes)
	c.Nodes.Targets, c.Nodes.Features = []string{"beds"}, []string{"cases"}
	s := read(t, c).Series
	for i, row := range s.Features {
		for _, x := range row {
			if !(math.Abs(x) <= 20) {
				t.Errorf("snapshot %d has feature %g", i, x)
			}
		}
	}
	for k := range y {
		y[k][1] = 3.3
	}
	edges, nodes = days(t, y)
	c, _ = small(edges, nodes)
	s = read(t, c).Series
	if d := cmp.Diff([]float64{1, 1, 1}, s.Scales[0].Std); d != "" {
		t.Error(d)
	}
}

// TestHalfObserved has targets in the first half of the days alone: scales are of the first part of those.
func TestHalfObserved(t *testing.T) {
	y := grown(20)
	for _, row := range y[10:] {
		row[0], row[1], row[2] = math.NaN(), math.NaN(), math.NaN()
	}
	edges, nodes := days(t, y)
	c, _ := small(edges, nodes)
	s := read(t, c).Series
	var seen, beds []float64
	for k := range 6 { // 0.6 of 10 days
		seen = append(seen, y[k][0])
		for u := range 3 {
			beds = append(beds, float64(100+10*k+u))
		}
	}
	mean, std := stat.PopMeanStdDev(seen, nil)
	fixture.Close(t, "scale", []float64{s.Scales[0].Mean[0], s.Scales[0].Std[0]}, []float64{mean, std}, epsilon)
	mean, std = stat.PopMeanStdDev(beds, nil)
	fixture.Close(t, "feature", s.Features[0][1:2], []float64{(100 - mean) / std}, epsilon)
}

// TestUnscaled needs no value in the training times.
func TestUnscaled(t *testing.T) {
	c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", swap(swap(swap(goodNodes, ",5\n", ",\n"),
		",6\n", ",\n"), ",7\n", ",\n")))
	c.Unscaled = true
	if s := read(t, c).Series; s.Features[1][1] != 8 {
		t.Errorf("features %v", s.Features)
	}
}
