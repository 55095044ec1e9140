package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Rows that are combined are counted, unless a step or a count of rows asks for it; so are nodes whose newest values
// are old.
func TestNoticesOfRows(t *testing.T) {
	twice := goodEdges + "2020-03-02,b,a,4\n"
	static := "source,destination,weight\na,b,1\nb,a,2\na,b,3\nb,c,1\n"
	for name, c := range map[string]struct {
		edges, nodes string
		change       func(c *table.Config)
		says         string // "" for nothing
	}{
		"nothing": {},
		"edges twice": {edges: twice,
			says: "edges.csv: 1 of 4 rows are of a pair and time that has another row: their weights are added up"},
		"the last edge": {edges: twice, change: func(c *table.Config) { c.Edges.Aggregate = table.Last },
			says: "has another row: the last weight counts"},
		"edges twice in a step": {edges: twice, change: func(c *table.Config) { c.Step = must(table.ParseStep("1d")) }},
		"edges counted": {edges: strings.NewReplacer("weight", "share").Replace(twice),
			change: func(c *table.Config) { c.Edges.Weight = table.None }},
		"static edges": {edges: static, change: func(c *table.Config) { c.Edges.Time = table.None },
			says: "1 of 4 rows are of a pair that has another row: their weights are added up"},
		"nodes twice": {nodes: goodNodes + "2020-03-01,a,3,5\n",
			change: func(c *table.Config) { c.Nodes.Aggregate = table.Sum },
			says: "nodes.csv: 1 of 7 rows are of a node and time that has another row: Nodes.Aggregate " +
				`"sum" combines them`},
		"later edges": {edges: goodEdges + "2020-03-03,a,b,1\n2020-03-04,a,b,1\n",
			says: `nodes.csv: the newest values of "cases" are of 2020-03-02, the newest rows of 2020-03-04: leave out the ` +
				"later rows, or forecasts repeat values up to 2 snapshots old"},
		"a node that stopped": {nodes: swap(goodNodes, "2020-03-02,b,5,9\n", ""),
			says: `1 of 3 nodes have no value of "cases" at the newest time, 2020-03-02: forecasts repeat values up to 1 ` +
				`snapshot old, and their intervals do not count that: "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			if c.edges == "" {
				c.edges = goodEdges
			}
			if c.nodes == "" {
				c.nodes = goodNodes
			}
			config, notices := small(write(t, "edges.csv", c.edges), write(t, "nodes.csv", c.nodes))
			if c.change != nil {
				c.change(&config)
			}
			read(t, config)
			for _, text := range []string{"has another row", "forecasts repeat"} {
				if strings.Contains(notices.String(), text) != strings.Contains(c.says, text) {
					t.Errorf("notices of %q: %q", text, notices)
				}
			}
			if !strings.Contains(notices.String(), c.says) {
				t.Errorf("notices %q, want %q", notices, c.says)
			}
		})
	}
}

// Numbers that are all dates without separators are refused; other numbers of eight digits are not.
func TestDatesAsNumbers(t *testing.T) {
	compact := strings.NewReplacer("2020-03-01", "20200331", "2020-03-02", "20200401")
	c, _ := small(write(t, "edges.csv", compact.Replace(goodEdges)), write(t, "nodes.csv", compact.Replace(goodNodes)))
	_, err := table.Read(t.Context(), c)
	if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), `edges.csv, line 2, column "time": found `+
		`numbers that are all dates, such as 20200331, want Config.DateFormat "YYYYMMDD"`) {
		t.Error(err)
	}
	c.DateFormat = "YYYYMMDD"
	if s := read(t, c).Series; len(s.Dates) != 2 {
		t.Errorf("dates %v", s.Dates)
	}
	numbers := strings.NewReplacer("2020-03-01", "20200331", "2020-03-02", "20200332")
	c, _ = small(write(t, "edges.csv", numbers.Replace(goodEdges)), write(t, "nodes.csv", numbers.Replace(goodNodes)))
	if s := read(t, c).Series; s.Dates != nil || s.Times[1] != 20200332 {
		t.Errorf("times %v", s.Times)
	}
}

// Months without separators are refused if all times are months and their gaps as numbers are uneven, of several years.
// A time that is no month tells that they are numbers; within a year, and of one month of years, gaps are even.
func TestMonthsAsNumbers(t *testing.T) {
	for times, refused := range map[[3]string]bool{
		{"202011", "202012", "202101"}: true,
		{"202009", "202012", "202103"}: true,
		{"202012", "202013", "202101"}: false,
		{"202010", "202011", "202012"}: false,
		{"202012", "202112", "202212"}: false,
		{"182011", "182012", "182101"}: false,
	} {
		edges := "time,source,destination,weight\n"
		for _, at := range times {
			edges += at + ",a,b,1\n"
		}
		c, _ := small(write(t, "edges.csv", edges), "")
		c.Nodes = table.Nodes{}
		_, err := table.Read(t.Context(), c)
		if says := fmt.Sprintf(`edges.csv, line 2, column "time": found numbers that are all dates, such as %s, want `+
			`Config.DateFormat "YYYYMM" to read them as dates`, times[0]); refused != (err != nil) ||
			refused && !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", times, err)
		}
		if c.DateFormat = "YYYYMM"; refused && len(read(t, c).Series.Dates) != 3 {
			t.Errorf("%v are no dates", times)
		}
	}
}

// A limit that is no number is an error about the environment and not about a file.
func TestLimitThatIsNoNumber(t *testing.T) {
	t.Setenv("PENGCDE_MAX_BYTES", "abc")
	c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
	if _, err := table.Read(t.Context(), c); !errors.Is(err, dyngraph.ErrInvalid) ||
		!strings.HasPrefix(err.Error(), `datasets/table: the environment variable PENGCDE_MAX_BYTES is "abc", want`) {
		t.Error(err)
	}
}
