package pgt_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// shippedTennis are read once; tests must not change them.
var shippedTennis = map[pgt.Event]func() (*dyngraph.Series, error){
	pgt.RG17: sync.OnceValues(func() (*dyngraph.Series, error) { return pgt.TwitterTennis(pgt.RG17) }),
	pgt.UO17: sync.OnceValues(func() (*dyngraph.Series, error) { return pgt.TwitterTennis(pgt.UO17) }),
}

func tennis(t *testing.T, event pgt.Event) *dyngraph.Series {
	t.Helper()
	s, err := shippedTennis[event]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTwitterTennis(t *testing.T) {
	for _, c := range []struct {
		event                  pgt.Event
		snapshots, edges, into int     // into is the largest in-degree of the union
		most                   float64 // weight
		first                  string
	}{
		{pgt.RG17, 120, 13473, 819, 42, "rolandgarros"},
		{pgt.UO17, 112, 14351, 813, 78, "usopen"},
	} {
		s := tennis(t, c.event)
		if s.Name != "twitter_tennis_"+string(c.event) || s.Nodes() != 1000 || s.FeatureSize != 16 ||
			s.TargetSize != 1 || s.Scales != nil {
			t.Errorf("%s: %d nodes, %d features, %d targets, %d scales, want 1000, 16, 1, 0", s.Name, s.Nodes(),
				s.FeatureSize, s.TargetSize, len(s.Scales))
		}
		into := make([]int, s.Nodes())
		for _, to := range s.Pattern.To {
			into[to]++
		}
		if len(s.Times) != c.snapshots || s.Pattern.Edges() != c.edges || slices.Max(into) != c.into {
			t.Errorf("%s: %d snapshots, %d edges, %d into one node, want %d, %d, %d",
				s.Name, len(s.Times), s.Pattern.Edges(), slices.Max(into), c.snapshots, c.edges, c.into)
		}
		if most := slices.Max(slices.Concat(s.Weights...)); most != c.most || s.NodeNames[0] != c.first {
			t.Errorf("%s: largest weight %g and node 0 %q, want %g and %q", s.Name, most, s.NodeNames[0], c.most,
				c.first)
		}
		for k, time := range s.Times {
			if time != float64(k) {
				t.Errorf("%s: snapshot %d at time %g", s.Name, k, time)
			}
		}
	}
}

// Each node has one class of degree, counted on the snapshot's edges, and one of transitivity. The file's degrees leave
// out directions, and a self-loop counts twice.
func TestTennisFeatures(t *testing.T) {
	s := tennis(t, pgt.RG17)
	for k, features := range s.Features {
		neighbours := make([]map[int32]bool, s.Nodes())
		degrees := make([]int, s.Nodes())
		for u := range neighbours {
			neighbours[u] = map[int32]bool{}
		}
		for e, w := range s.Weights[k] {
			from, to := s.Pattern.From[e], s.Pattern.To[e]
			switch {
			case w == 0:
			case from == to:
				degrees[from] += 2
			default:
				neighbours[from][to], neighbours[to][from] = true, true
			}
		}
		for u := range neighbours {
			degrees[u] += len(neighbours[u])
			// ln 2 up to 1, ln 3..7 up to 2, ln 8..20 up to 3
			degree := []int{0, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4}[min(degrees[u], 20)]
			row := features[u*16 : (u+1)*16]
			want := make([]float64, 5)
			want[degree] = 1
			rest := slices.Clone(row[5:])
			slices.Sort(rest)
			if !slices.Equal(row[:5], want) || rest[9] != 0 || rest[10] != 1 {
				t.Fatalf("snapshot %d, node %d of degree %d: features %v, want class %d and one of 11", k, u,
					degrees[u], row, degree)
			}
			if degrees[u] < 2 && row[5] != 1 {
				t.Fatalf("snapshot %d, node %d of degree %d: features %v, want transitivity 0", k, u, degrees[u], row)
			}
		}
	}
}

// The target of a snapshot is what happens in the next one: as many accounts mention a node as the edges show, or more,
// for edges are among 1000 accounts only. The last target is repeated.
func TestTennisTargets(t *testing.T) {
	for _, event := range []pgt.Event{pgt.RG17, pgt.UO17} {
		s := tennis(t, event)
		last := len(s.Times) - 1
		if !slices.Equal(s.Targets[last], s.Targets[last-1]) {
			t.Errorf("%s: the last targets are not those before", event)
		}
		for k, targets := range s.Targets[:last] {
			into := make([]float64, s.Nodes())
			for e, w := range s.Weights[k+1] {
				if w > 0 {
					into[s.Pattern.To[e]]++
				}
			}
			for u, target := range targets {
				mentions := math.Expm1(target)
				if !(math.Abs(mentions-math.Round(mentions)) <= 1e-9*(1+mentions)) || math.Round(mentions) < into[u] {
					t.Fatalf("%s, snapshot %d, node %d: target of %g mentions, the next snapshot shows %g edges", event,
						k, u, mentions, into[u])
				}
			}
		}
	}
}

func TestTennisKnown(t *testing.T) {
	s := tennis(t, pgt.UO17)
	for k := range s.Times {
		strength := make([]float64, s.Nodes())
		for e, w := range s.Weights[k] {
			strength[s.Pattern.To[e]] += w
		}
		for u := range strength {
			sum, count := 0.0, 0
			for i := k; i >= 0 && count < 8; i-- {
				sum, count = sum+s.LastObserved[i][u], count+1
			}
			if !(math.Abs(s.LastObserved[k][u]-math.Log(1+strength[u])) <= 1e-12) ||
				!(math.Abs(s.RecentMean[k][u]-sum/float64(count)) <= 1e-12) {
				t.Fatalf("snapshot %d, node %d of in-strength %g: newest %g, recent %g over %d snapshots",
					k, u, strength[u], s.LastObserved[k][u], s.RecentMean[k][u], count)
			}
		}
	}
}

// Errors of simple forecasts over the published windows, computed independently from the published files to three
// digits.
func TestTennisErrors(t *testing.T) {
	label := func(s *dyngraph.Series, k int) []float64 { return s.Targets[k] }
	newest := func(s *dyngraph.Series, k int) []float64 { return s.LastObserved[k] }
	recent := func(s *dyngraph.Series, k int) []float64 { return s.RecentMean[k] }
	zero := func(s *dyngraph.Series, _ int) []float64 { return make([]float64, s.Nodes()) }
	for _, c := range []struct {
		name     string
		event    pgt.Event
		forecast func(s *dyngraph.Series, k int) []float64
		before   int // snapshots before the target's
		want     float64
	}{
		{"zero", pgt.RG17, zero, 1, 0.493},
		{"label before", pgt.RG17, label, 1, 0.255},
		{"label two before", pgt.RG17, label, 2, 0.355},
		{"newest", pgt.RG17, newest, 1, 0.342},
		{"recent", pgt.RG17, recent, 1, 0.286},
		{"zero", pgt.UO17, zero, 1, 0.627},
		{"label before", pgt.UO17, label, 1, 0.253},
		{"label two before", pgt.UO17, label, 2, 0.332},
		{"newest", pgt.UO17, newest, 1, 0.389},
		{"recent", pgt.UO17, recent, 1, 0.339},
	} {
		s := tennis(t, c.event)
		windows, err := s.Windows(10, 10).List()
		if err != nil || len(windows) != len(s.Times)/10 {
			t.Fatalf("%s: %d windows (%v), want %d", c.event, len(windows), err, len(s.Times)/10)
		}
		sum := 0.0
		for _, w := range windows {
			forecast := c.forecast(s, w.Last()-c.before)
			for u, target := range w.Target() {
				sum += (forecast[u] - target) * (forecast[u] - target)
			}
		}
		if mse := sum / float64(len(windows)*s.Nodes()); !(math.Abs(mse-c.want) < 6e-4) {
			t.Errorf("%s of %s: MSE %.5f, want %.3f", c.name, c.event, mse, c.want)
		}
	}
}

// Three accounts, three snapshots: snapshot 1 lists 0 -> 1 twice, nobody mentions anybody in snapshot 2.
const smallTennis = `{
	"0": {"index": 0, "edges": [[0, 1], [2, 1]], "weights": [2, 1], "X": [[1, 0], [2, 0.25], [20, 1]], "y": [0, 3, 0]},
	"1": {"index": 1, "edges": [[0, 1], [1, 0], [0, 1]], "weights": [1, 4, 2], "X": [[0, 0], [7, 0.3], [8, 0.99]], "y": [4, 5, 1]},
	"2": {"index": 2, "edges": [], "weights": [], "X": [[0, 0], [0, 0], [0, 0]], "y": [7, 0, 2]},
	"time_periods": 3, "node_ids": {"b": 1, "a": 0, "c": 2}}`

func TestReadTwitterTennis(t *testing.T) {
	s, err := pgt.ReadTwitterTennis(strings.NewReader(smallTennis))
	if err != nil {
		t.Fatal(err)
	}
	ln := func(counts ...float64) []float64 {
		for i, v := range counts {
			counts[i] = math.Log1p(v)
		}
		return counts
	}
	features := make([][]float64, 3) // classes of degree and transitivity of each node
	for k, classes := range [][][2]int{{{1, 0}, {2, 2}, {4, 10}}, {{0, 0}, {3, 3}, {3, 9}}, {{0, 0}, {0, 0}, {0, 0}}} {
		features[k] = make([]float64, 3*16)
		for u, class := range classes {
			features[k][u*16+class[0]], features[k][u*16+5+class[1]] = 1, 1
		}
	}
	want := &dyngraph.Series{
		Name:         "twitter_tennis",
		NodeNames:    []string{"a", "b", "c"},
		Times:        []float64{0, 1, 2},
		Pattern:      &dyngraph.Pattern{Nodes: 3, From: []int32{0, 1, 2}, To: []int32{1, 0, 1}},
		Weights:      [][]float64{{2, 0, 1}, {3, 4, 0}, {0, 0, 0}},
		Features:     features,
		Alignment:    dyngraph.Alignment{Targets: dyngraph.StepRange{First: 1, Last: 1}},
		FeatureSize:  16,
		Targets:      [][]float64{ln(4, 5, 1), ln(7, 0, 2), ln(7, 0, 2)},
		TargetSize:   1,
		LastObserved: [][]float64{ln(0, 3, 0), ln(4, 3, 0), ln(0, 0, 0)},
		RecentMean: [][]float64{ln(0, 3, 0), {math.Log(5) / 2, math.Log(4), 0},
			{math.Log(5) / 3, math.Log(16) / 3, 0}},
	}
	for k, row := range want.RecentMean {
		for u := range row {
			if !(math.Abs(s.RecentMean[k][u]-row[u]) <= 1e-14) {
				t.Errorf("recent mean of snapshot %d, node %d: %g, want %g", k, u, s.RecentMean[k][u], row[u])
			}
		}
	}
	want.RecentMean = s.RecentMean
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
}

func TestReadTwitterTennisShipped(t *testing.T) {
	content, err := os.ReadFile("twitter_tennis_rg17.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	s, err := pgt.ReadTwitterTennis(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	s.Name = "twitter_tennis_rg17"
	if !reflect.DeepEqual(s, tennis(t, pgt.RG17)) {
		t.Error("the shipped file reads as another series than TwitterTennis gives")
	}
	for name, damaged := range map[string][]byte{
		"half the file":       content[:len(content)/2],
		"without checksum":    content[:len(content)-6],
		"more after the file": append(slices.Clone(content), "more than a header"...),
	} {
		if _, err := pgt.ReadTwitterTennis(bytes.NewReader(damaged)); !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), "cut short or damaged") {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}

func TestReadTwitterTennisErrors(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(smallTennis, old) {
			t.Fatalf("no %q to change", old)
		}
		return strings.Replace(smallTennis, old, new, 1)
	}
	for _, c := range []struct{ name, content, says string }{
		{"empty", "", "cut short"},
		{"null", "null", `no entry "time_periods"`},
		{"a list", "[]", "cannot unmarshal array"},
		{"cut in half", smallTennis[:len(smallTennis)/2], "cut short"},
		{"trailing data", smallTennis + "{}", "not JSON"},
		{"NaN", change("0.25", "NaN"), "holds NaN"},
		{"no snapshots", change(`"time_periods": 3`, `"time_periods": 0`), "time_periods is 0"},
		{"null for snapshots", change(`"time_periods": 3`, `"time_periods": null`), "time_periods is 0"},
		{"half a snapshot", change(`"time_periods": 3`, `"time_periods": 2.5`), `entry "time_periods"`},
		{"far too many snapshots", change(`"time_periods": 3`, `"time_periods": 1000000000000`), `no entry "3"`},
		{"too few snapshots", change(`"time_periods": 3`, `"time_periods": 2`),
			`time_periods is 2 but there is an entry "2"`},
		{"missing snapshot", change(`"1": {`, `"one": {`), `no entry "1"`},
		{"null snapshot", change(`"2": {`, `"2": null, "was": {`), "snapshot 2 has y of 0 nodes"},
		{"no nodes", `{"0": {"edges": [], "weights": [], "X": [], "y": []}, "time_periods": 1, "node_ids": {}}`,
			"snapshot 0 has no nodes"},
		{"only snapshots without edges", `{"0": {"edges": [], "weights": [], "X": [[0, 0]], "y": [0]}, "time_periods": 1, "node_ids": {"a": 0}}`, "no edges"},
		{"missing node_ids", change(`"node_ids"`, `"nodes"`), `no entry "node_ids"`},
		{"duplicate node id", change(`"b": 1`, `"b": 2`), "the node 2, want 0..2, each once"},
		{"node id beyond nodes", change(`"b": 1`, `"b": 3`), `node_ids gives "b" the node 3`},
		{"negative node id", change(`"b": 1`, `"b": -1`), `node_ids gives "b" the node -1`},
		{"null node id", change(`"a": 0`, `"a": null`), `node_ids gives "a" no node`},
		{"unnamed node", change(`"b": 1, `, ""), "node_ids names 2 nodes, y has 3"},
		{"edge beyond nodes", change("[1, 0], [0, 1]]", "[1, 3], [0, 1]]"),
			"edge 1 of snapshot 1 joins 1 -> 3, want nodes in 0..2"},
		{"negative node", change("[1, 0], [0, 1]]", "[-1, 0], [0, 1]]"), "edge 1 of snapshot 1 joins -1 -> 0"},
		{"null in an edge", change("[1, 0], [0, 1]]", "[null, 0], [0, 1]]"), "edge 1 of snapshot 1 is not a pair"},
		{"half an edge", change("[1, 0], [0, 1]]", "[1], [0, 1]]"), "edge 1 of snapshot 1 is not a pair"},
		{"fraction as node", change("[1, 0], [0, 1]]", "[1, 0.5], [0, 1]]"), "0.5"},
		{"no edges", change(`"edges": []`, `"edge_index": []`), "snapshot 2 lacks edges or weights"},
		{"null weights", change(`"weights": []`, `"weights": null`), "snapshot 2 lacks edges or weights"},
		{"null weight", change("[1, 4, 2]", "[1, null, 2]"), "weight of edge 1 (1 -> 0) of snapshot 1 is null or negative"},
		{"negative weight", change("[1, 4, 2]", "[1, -4, 2]"), "weight of edge 1 (1 -> 0) of snapshot 1 is null or negative"},
		{"infinite weight", change("[1, 4, 2]", "[1, 1e999, 2]"), "1e999"},
		{"sum of weights overflows", change("[1, 4, 2]", "[1.7e308, 4, 1.7e308]"),
			"snapshot 1: weight of edge 0 -> 1 is +Inf"},
		{"weight too few", change("[1, 4, 2]", "[1, 4]"), "snapshot 1 has 3 edges and 2 weights"},
		{"negative y", change("[4, 5, 1]", "[4, -5, 1]"), "y of node 1 in snapshot 1 is null or negative"},
		{"null y", change("[4, 5, 1]", "[4, null, 1]"), "y of node 1 in snapshot 1 is null or negative"},
		{"y too few", change("[4, 5, 1]", "[4, 5]"), "snapshot 1 has y of 2 nodes and X of 3, want 3"},
		{"X too few", change("[7, 0.3], ", ""), "snapshot 1 has y of 3 nodes and X of 2, want 3"},
		{"text for y", change("[4, 5, 1]", `[4, "5", 1]`), "string"},
		{"transitivity above 1", change("0.99", "1.01"), "X of node 2 in snapshot 1"},
		{"negative transitivity", change("0.99", "-0.1"), "X of node 2 in snapshot 1"},
		{"negative degree", change("[8, ", "[-8, "), "X of node 2 in snapshot 1"},
		{"null degree", change("[8, ", "[null, "), "X of node 2 in snapshot 1"},
		{"X of one number", change("[8, 0.99]", "[8]"), "X of node 2 in snapshot 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := pgt.ReadTwitterTennis(strings.NewReader(c.content))
			if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want ErrInvalid saying %q", err, c.says)
			}
		})
	}
}

func TestUnknownEvent(t *testing.T) {
	_, err := pgt.TwitterTennis("ao17")
	if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), `event "ao17", want "rg17" or "uo17"`) {
		t.Errorf("error %v, want ErrInvalid with the events", err)
	}
}

func ExampleTwitterTennis() {
	series, err := pgt.TwitterTennis(pgt.RG17)
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := series.Windows(10, 10).Split(0.6, 0.2, 1)
	fmt.Println(series.Nodes(), "accounts,", len(series.Times), "snapshots,", series.Pattern.Edges(), "edges")
	fmt.Println(len(split.Train), "windows for training,", len(split.Validation), "for validation,", len(split.Test),
		"for testing,", err)
	fmt.Printf("%s: %.0f mentions in snapshot 1\n", series.NodeNames[0], math.Expm1(series.Targets[0][0]))
	// Output:
	// 1000 accounts, 120 snapshots, 13473 edges
	// 7 windows for training, 2 for validation, 3 for testing, <nil>
	// rolandgarros: 125 mentions in snapshot 1
}

func ExampleReadTwitterTennis() {
	file := strings.NewReader(`{"time_periods": 2, "node_ids": {"fan": 0, "player": 1},
		"0": {"edges": [[0, 1]], "weights": [3], "X": [[1, 0], [1, 0]], "y": [0, 5]},
		"1": {"edges": [], "weights": [], "X": [[0, 0], [0, 0]], "y": [0, 2]}}`)
	series, err := pgt.ReadTwitterTennis(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(series.NodeNames, series.Weights)
	fmt.Println(series.Features[0][:16])
	fmt.Printf("%.3f %.3f\n", series.LastObserved[0], series.Targets[0])
	// Output:
	// [fan player] [[3] [0]]
	// [0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0]
	// [0.000 1.386] [0.000 1.099]
}
