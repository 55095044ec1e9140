package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// accounts writes payments and balances of four accounts over 14 days: b opens on day 5, c is closed from day 10 on, d
// is away on days 7 and 8. Rows of absent accounts, with a planted balance and the column open at 0, are written if
// planted is not 0.
func accounts(t testing.TB, planted float64) (edges, nodes string) {
	t.Helper()
	e, n := "time,source,destination,weight\n", "time,node,balance,limit,open\n"
	for day := range 14 {
		open := isOpen(day)
		for k, from := range "abcd" {
			to := (k + 1) % 4
			if open[k] && open[to] {
				e += fmt.Sprintf("%d,%c,%c,%d\n", day, from, 'a'+to, 1+day+k)
			}
		}
		e += fmt.Sprintf("%d,a,a,1\n", day)
		for k, name := range "abcd" {
			switch {
			case open[k]:
				n += fmt.Sprintf("%d,%c,%g,%d,1\n", day, name, 10*math.Sin(float64(day+k)), 10+k)
			case planted != 0:
				n += fmt.Sprintf("%d,%c,%g,%g,0\n", day, name, planted, planted)
			}
		}
	}
	return write(t, "edges.csv", e), write(t, "nodes.csv", n)
}

func isOpen(day int) []bool { return []bool{true, day >= 5, day < 10, day != 7 && day != 8} }

func presenceConfig(edges, nodes, presence string) (table.Config, *strings.Builder) {
	notices := &strings.Builder{}
	return table.Config{Edges: table.Edges{Path: edges}, Nodes: table.Nodes{Path: nodes, Targets: []string{"balance"},
		Features: []string{"limit"}, Presence: presence}, Lags: 3, Notices: notices}, notices
}

// Rows, or a column, say when accounts are open. Values planted where an account is closed have no influence, on scales
// neither.
func TestPresence(t *testing.T) {
	ctx := context.Background()
	var first *dyngraph.Series
	for _, c := range []struct {
		presence string
		planted  float64
	}{{table.ByRows, 0}, {"open", 5}, {"open", 1e9}} {
		edges, nodes := accounts(t, c.planted)
		config, notices := presenceConfig(edges, nodes, c.presence)
		data, err := table.Read(ctx, config)
		if err != nil {
			t.Fatalf("%s: %v", c.presence, err)
		}
		s := data.Series
		for k := range s.Times {
			if want := isOpen(k + 2); !slices.Equal(s.Present[k], want) { // the first two days are lags
				t.Errorf("%s: present on day %d: %v, want %v", c.presence, k+2, s.Present[k], want)
			}
		}
		if !strings.Contains(notices.String(), "3 to 4 of 4 nodes are present at a time, 3 at the last") {
			t.Errorf("%s: notices %q", c.presence, notices)
		}
		if strings.Contains(notices.String(), "has no value") {
			t.Errorf("%s: absent accounts count as gaps: %q", c.presence, notices)
		}
		again, err := data.Recipe.Read(ctx, edges, nodes)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = s
		}
		for name, rows := range map[string][3][][]float64{"features": {s.Features, first.Features, again.Features},
			"targets": {s.Targets, first.Targets, again.Targets}, "newest values": {s.LastObserved, first.LastObserved,
				again.LastObserved}, "scales": {{s.Scales[0].Mean, s.Scales[0].Std}, {first.Scales[0].Mean,
				first.Scales[0].Std}, {again.Scales[0].Mean, again.Scales[0].Std}}} {
			for _, other := range rows[1:] {
				if !slices.EqualFunc(slices.Concat(rows[0]...), slices.Concat(other...), func(a, b float64) bool {
					return a == b || a != a && b != b
				}) {
					t.Errorf("%s, planted %g: %s differ", c.presence, c.planted, name)
				}
			}
		}
	}
}

// From its first row or edge on, an account is seen.
func TestPresenceSeen(t *testing.T) {
	edges := write(t, "edges.csv", "time,source,destination\n0,a,a\n1,a,b\n2,a,a\n3,a,a\n")
	nodes := write(t, "nodes.csv", "time,node,balance,limit\n0,a,1,1\n2,a,3,1\n3,c,4,1\n3,a,4,1\n3,b,2,1\n")
	config, _ := presenceConfig(edges, nodes, table.Seen)
	config.Edges.Weight, config.Lags = table.None, 1
	data, err := table.Read(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]bool{{true, false, false}, {true, true, false}, {true, true, false}, {true, true, true}}
	if !slices.EqualFunc(data.Series.Present, want, slices.Equal) {
		t.Errorf("present %v, want %v", data.Series.Present, want)
	}
}

// Rows that only say what changes hold until the next; a graph that does not change loses the edges of absent nodes.
func TestPresenceHolds(t *testing.T) {
	edges := write(t, "edges.csv", "source,destination,weight\na,b,2\nb,a,3\na,a,1\n")
	nodes := write(t, "nodes.csv", "time,node,balance,limit,open\n0,a,1,1,1\n1,a,2,1,\n1,b,3,1,1\n2,a,1,1,\n3,a,2,1,\n"+
		"3,b,5,1,0\n4,a,2,1,\n")
	config, _ := presenceConfig(edges, nodes, "open")
	config.Edges.Time, config.Lags = table.None, 1
	data, err := table.Read(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []bool{false, true, true, false, false} {
		if got := data.Series.Present[k][1]; got != want {
			t.Errorf("b is present at %d: %t, want %t", k, got, want)
		}
		if got := data.Series.Weights[k][1] != 0; got != want { // a -> a, a -> b, b -> a
			t.Errorf("a has an edge to b at %d: %t, want %t", k, got, want)
		}
	}
}

// Truth values are 1 and 0: as programs write them in text, and in Parquet.
func TestPresenceOfTruthValues(t *testing.T) {
	type row struct {
		Time    int64   `parquet:"time"`
		Node    string  `parquet:"node"`
		Balance float64 `parquet:"balance"`
		Limit   float64 `parquet:"limit"`
		Open    *bool   `parquet:"open,optional"`
	}
	yes, no := true, false
	edges := write(t, "edges.csv", "source,destination,weight\na,b,2\nb,a,3\na,a,1\n")
	for _, nodes := range []string{
		write(t, "nodes.csv", "time,node,balance,limit,open\n0,a,1,1,True\n1,a,2,1,\n1,b,3,1,TRUE\n2,a,1,1,true\n"+
			"2,b,1,1,False\n"),
		write(t, "nodes.parquet", encoded(t, row{0, "a", 1, 1, &yes}, row{1, "a", 2, 1, nil}, row{1, "b", 3, 1, &yes},
			row{2, "a", 1, 1, &yes}, row{2, "b", 1, 1, &no})),
	} {
		config, _ := presenceConfig(edges, nodes, "open")
		config.Edges.Time, config.Lags = table.None, 1
		want := [][]bool{{true, false}, {true, true}, {true, false}}
		if got := read(t, config).Series.Present; !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: present %v, want %v", nodes, got, want)
		}
	}
}

func TestPresenceErrors(t *testing.T) {
	edges, nodes := accounts(t, 5)
	late := write(t, "late.csv", "time,source,destination,weight\n0,a,c,1\n1,a,c,1\n1,b,a,4\n")
	few := write(t, "few.csv", "time,node,balance,limit,open\n0,a,1,1,1\n0,c,1,1,1\n1,a,1,1,1\n1,c,1,1,1\n1,b,1,1,0\n")
	odd := write(t, "odd.csv", "time,node,balance,limit,open\n0,a,1,1,yes\n")
	two := write(t, "two.csv", "time,node,balance,limit,open\n0,a,1,1,2\n")
	missing := write(t, "missing.csv", "time,node,balance,limit\n0,a,1,1\n0,c,1,1\n1,a,1,1\n1,c,1,1\n")
	for _, c := range []struct{ edges, nodes, presence, want string }{
		{edges, nodes, "opn", `want a column with this name, or another Nodes.Presence such as "open"`},
		{late, few, "open", `late.csv, line 3, column "time": found rows of the time 1, which begin here, with an edge ` +
			`from "b" to "a", and "b" is absent then, want a 1 for it in column "open"`},
		{late, missing, table.ByRows, `"b" is absent then, want a row of ` + missing + ` for it at that time, no edge, or ` +
			`Nodes.Presence "seen"`},
		{edges, odd, "open", `odd.csv, line 2, column "open": found "yes", want 1 for a node that is present`},
		{edges, two, "open", `two.csv, line 2, column "open": found "2", want 1 for a node that is present`},
	} {
		config, _ := presenceConfig(c.edges, c.nodes, c.presence)
		config.Lags = 1
		_, err := table.Read(context.Background(), config)
		if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %s", c.presence, c.nodes, err, c.want)
		}
	}
	config, _ := presenceConfig(edges, "", table.ByRows)
	config.Nodes.Targets, config.Nodes.Features = nil, nil
	if _, err := table.Read(context.Background(), config); err == nil || !strings.Contains(err.Error(), "no Nodes.Path") {
		t.Errorf("without nodes: %v", err)
	}
}

// Nodes that come back are counted, and so are nodes that never leave.
func TestNoticesOfPresence(t *testing.T) {
	for nodes, says := range map[string]string{
		"time,node,x\n0,a,1\n0,b,1\n1,a,1\n2,a,1\n2,b,1\n": "1 nodes leave and come back, and how their features changed " +
			`meanwhile is lost: if their rows are merely missing, take Nodes.Presence "seen"`,
		"time,node,x\n0,a,1\n0,b,1\n1,a,1\n1,b,1\n": "all 2 nodes are always present",
	} {
		var notices bytes.Buffer
		_, err := table.Read(t.Context(), table.Config{Lags: 1, Notices: &notices, WithoutEdges: table.Empty,
			Edges: table.Edges{Path: write(t, "edges.csv", "time,source,destination,weight\n0,a,b,1\n")},
			Nodes: table.Nodes{Path: write(t, "nodes.csv", nodes), Targets: []string{"x"}, Presence: table.ByRows}})
		if err != nil || !strings.Contains(notices.String(), says) {
			t.Errorf("%v, notices %q, want %q", err, &notices, says)
		}
	}
}
