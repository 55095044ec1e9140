package table_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// calls has two features of edges, one with a gap, and no edge at time 2.
const calls = `time,source,destination,weight,minutes,mobile
0,a,b,1,5,1
0,a,b,1,7,
0,b,c,1,2,0
1,c,a,1,4,1
3,a,a,1,3,1
`

func readCalls(t *testing.T, edges string, change func(*table.Config)) *table.Data {
	t.Helper()
	var nodes strings.Builder
	nodes.WriteString("time,node,cases\n")
	for k := range 4 {
		for _, node := range []string{"a", "b", "c"} {
			fmt.Fprintf(&nodes, "%d,%s,%d\n", k, node, k)
		}
	}
	c := table.Config{Edges: table.Edges{Path: write(t, "edges.csv", edges), Features: []string{"minutes", "mobile"}},
		Nodes: table.Nodes{Path: write(t, "nodes.csv", nodes.String()), Targets: []string{"cases"}},
		Lags:  1, Unscaled: true, WithoutEdges: table.Empty, Notices: io.Discard}
	if change != nil {
		change(&c)
	}
	return read(t, c)
}

// Sums over the edges from a node and to it, of each feature, are features of the node.
func TestEdgeFeatures(t *testing.T) {
	d := readCalls(t, calls, nil)
	for node, want := range []string{
		"[12 0 1 0][0 4 0 1][0 0 0 0][3 3 1 1]", "[2 12 0 1][0 0 0 0][0 0 0 0][0 0 0 0]",
		"[0 2 0 0][4 0 1 0][0 0 0 0][0 0 0 0]",
	} {
		if got := features(d, node); got != want {
			t.Errorf("node %d: %s, want %s", node, got, want)
		}
	}
	held := readCalls(t, calls, func(c *table.Config) { c.WithoutEdges = table.Hold })
	if got, want := features(held, 0), "[12 0 1 0][0 4 0 1][0 4 0 1][3 3 1 1]"; got != want {
		t.Errorf("with the last graph again: %s, want %s", got, want)
	}
	static := readCalls(t, strings.ReplaceAll(calls, "time,", "when,"), func(c *table.Config) {
		c.Edges.Time, c.Edges.Aggregate, c.WithoutEdges = table.None, table.Sum, ""
	})
	if got, want := features(static, 0), strings.Repeat("[15 7 2 2]", 4); got != want {
		t.Errorf("without times: %s, want %s", got, want)
	}
	weight := readCalls(t, calls, func(c *table.Config) { c.Edges.Features = []string{"weight"} })
	if got, want := features(weight, 0), "[2 0][0 1][0 0][1 1]"; got != want {
		t.Errorf("the weight: %s, want %s", got, want)
	}
	alone := readCalls(t, calls, func(c *table.Config) { c.Nodes = table.Nodes{} })
	if got, want := fmt.Sprint(alone.Series.Features[0]), "[12 0 1 0 2 12 0 1 0 2 0 0]"; got != want {
		t.Errorf("without a nodes file: %s, want %s", got, want)
	}
}

// New files have the features of the first, by the same scales.
func TestEdgeFeaturesOfNewFiles(t *testing.T) {
	d := readCalls(t, calls, func(c *table.Config) { c.Unscaled, c.TrainFraction = false, 1 })
	mean, std := d.Recipe.FeatureMean, d.Recipe.FeatureStd
	fixture.Close(t, "means", mean, []float64{21.0 / 12, 21.0 / 12, 3.0 / 12, 3.0 / 12}, epsilon)
	series, err := d.Recipe.Read(t.Context(), write(t, "edges.csv",
		"time,destination,source,weight,mobile,minutes\n5,a,b,1,1,10\n"), write(t, "nodes.csv", "time,node,cases\n5,a,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	fixture.Close(t, "node b", series.Features[0][6:10], []float64{(10 - mean[0]) / std[0], -mean[1] / std[1],
		(1 - mean[2]) / std[2], -mean[3] / std[3]}, epsilon)
}

// Later edges change no feature of earlier snapshots, in training times scales alike.
func TestEdgeFeaturesDoNotLookAhead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const times = 10
		from := rapid.IntRange(6, times-1).Draw(rt, "from") // scales are of the first 6
		minutes := rapid.IntRange(0, 99)
		texts := [2]string{"time,source,destination,weight,minutes\n", "time,source,destination,weight,minutes\n"}
		nodes := "time,node,cases\n"
		for k := range times {
			value := minutes.Draw(rt, "minutes")
			texts[0] += fmt.Sprintf("%d,a,b,1,%d\n", k, value)
			if k >= from {
				value = 1e6
			}
			texts[1] += fmt.Sprintf("%d,a,b,1,%d\n", k, value)
			nodes += fmt.Sprintf("%d,a,%d\n%d,b,%d\n", k, k, k, 2*k)
		}
		var all [2]*table.Data
		for i, text := range texts {
			all[i] = read(t, table.Config{Edges: table.Edges{Path: write(t, "edges.csv", text), Features: []string{"minutes"}},
				Nodes: table.Nodes{Path: write(t, "nodes.csv", nodes), Targets: []string{"cases"}}, Lags: 1, Notices: io.Discard})
		}
		for k := range from {
			if got, want := all[1].Series.Features[k], all[0].Series.Features[k]; !slices.Equal(got, want) {
				rt.Fatalf("features of %d changed from %v to %v by edges from %d on", k, want, got, from)
			}
		}
	})
}

func TestEdgeFeatureErrors(t *testing.T) {
	for name, c := range map[string]struct{ edges, says string }{
		"a text":     {strings.Replace(calls, ",5,", ",five,", 1), `column "minutes": found "five", want a finite number`},
		"infinite":   {strings.Replace(calls, ",5,", ",inf,", 1), `line 2, column "minutes": found "inf"`},
		"too large":  {strings.NewReplacer(",5,", ",1e308,", ",7,", ",1e308,").Replace(calls), "whose sum is too large"},
		"no column":  {strings.Replace(calls, "minutes", "minute", 1), `or another Edges.Features such as "minute"`},
		"ends early": {calls[:strings.Index(calls, ",5")] + "\n", "line 2"},
	} {
		_, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: write(t, "edges.csv", c.edges),
			Features: []string{"minutes"}}, Notices: io.Discard})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", name, err, c.says)
		}
	}
	_, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: write(t, "edges.csv", calls),
		Features: []string{"minutes", "minutes"}}, Notices: io.Discard})
	if err == nil || !strings.Contains(err.Error(), `column "minutes" is asked for twice`) {
		t.Errorf("twice: %v", err)
	}
}
