package table_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// TestSameContent reads files that say the same in other ways.
func TestSameContent(t *testing.T) {
	c, notices := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
	want := read(t, c).Series
	if notices.Len() > 0 {
		t.Errorf("notices of good files: %s", notices)
	}
	rows := strings.Split(strings.TrimSuffix(goodEdges, "\n"), "\n")
	for name, content := range map[string]string{
		"byte order mark":       "\ufeff" + goodEdges,
		"carriage returns":      strings.ReplaceAll(goodEdges, "\n", "\r\n"),
		"no end of line":        strings.TrimSuffix(goodEdges, "\n"),
		"blank lines":           strings.ReplaceAll(goodEdges, "\n", "\n\n"),
		"spaces around cells":   strings.ReplaceAll(goodEdges, ",", " , "),
		"spaces before quotes":  strings.ReplaceAll(goodEdges, ",b,", `, "b",`),
		"quotes":                strings.ReplaceAll(goodEdges, ",b,", `,"b",`),
		"times of day":          strings.ReplaceAll(goodEdges, "-02,", "-02T00:00:00Z,"),
		"another zone":          strings.ReplaceAll(goodEdges, "2020-03-02,", "2020-03-02 02:30+02:30,"),
		"rows in another order": strings.Join([]string{rows[0], rows[3], rows[1], rows[2]}, "\n"),
		"weights in two rows":   goodEdges + "2020-03-01,a,b,-0.5\n2020-03-01,a,b,5e-1\n",
	} {
		c.Edges.Path, c.Edges.Signed = write(t, "edges.csv", content), true
		if d := cmp.Diff(want, read(t, c).Series, same); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	c.Edges.Path = write(t, "edges.TSV", strings.ReplaceAll(goodEdges, ",", "\t"))
	if d := cmp.Diff(want, read(t, c).Series, same); d != "" {
		t.Errorf("tabs: %s", d)
	}
}

// TestParquetTypes reads times and nodes of every type that holds them.
func TestParquetTypes(t *testing.T) {
	c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
	days := []time.Time{time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 3, 2, 0, 0, 0, 0, time.UTC)}
	want := read(t, c).Series
	for name, node := range map[string]struct {
		time  parquet.Node
		value func(at time.Time) parquet.Value
	}{
		"date": {parquet.Date(), func(at time.Time) parquet.Value {
			return parquet.Int32Value(int32(at.Unix() / 86400))
		}},
		"milliseconds": {parquet.Timestamp(parquet.Millisecond), func(at time.Time) parquet.Value {
			return parquet.Int64Value(at.UnixMilli())
		}},
		"nanoseconds": {parquet.Timestamp(parquet.Nanosecond), func(at time.Time) parquet.Value {
			return parquet.Int64Value(at.UnixNano())
		}},
		"Julian day": {parquet.Leaf(parquet.Int96Type), func(at time.Time) parquet.Value {
			return parquet.ValueOf(deprecated.Int96{0, 0, uint32(2440588 + at.Unix()/86400)})
		}},
		"text": {parquet.String(), func(at time.Time) parquet.Value {
			return parquet.ByteArrayValue([]byte(at.Format(time.DateOnly)))
		}},
	} {
		schema := parquet.NewSchema("edges", parquet.Group{"time": parquet.Optional(node.time),
			"source": parquet.Encoded(parquet.String(), &parquet.RLEDictionary), "destination": parquet.String(),
			"weight": parquet.Leaf(parquet.FloatType)})
		var out strings.Builder
		w := parquet.NewWriter(&out, schema)
		for _, row := range []struct {
			day        int
			source, to string
			weight     float32
		}{{0, "a", "b", 1}, {1, "b", "a", 2}, {1, "b", "c", 3}} {
			// Columns of a group are in the order of their names.
			if _, err := w.WriteRows([]parquet.Row{{
				parquet.ByteArrayValue([]byte(row.to)).Level(0, 0, 0), parquet.ByteArrayValue([]byte(row.source)).Level(0, 0, 1),
				node.value(days[row.day]).Level(0, 1, 2), parquet.FloatValue(row.weight).Level(0, 0, 3),
			}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		c.Edges.Path = write(t, "edges.parquet", out.String())
		if d := cmp.Diff(want, read(t, c).Series, same); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// One node written in two ways, in one file and in the other, is an error. Nodes that both files have are two.
func TestSpellingsOfNodes(t *testing.T) {
	for _, c := range []struct{ edges, nodes, says string }{
		{"01001", "1001", `nodes "1001" and "01001", want one of them`},
		{"1", "1.00", `nodes "1" and "1.00", want one of them`},
		{"1e+05", "100000", `nodes "100000" and "1e+05", want one of them`},
		{"01001", "1001.0", `nodes "01001" and "1001.0", want one of them`},
		{"9007199254740993", "009007199254740993", `nodes "9007199254740993" and "009007199254740993", want one`},
		{"9007199254740993", "9007199254740992", ""},
		{"Z\u00fcrich", "Zu\u0308rich", `nodes "Z\u00fcrich" and "Zu\u0308rich", want one of them`},
		{"nan0", "NaN0", ""},
		{"01\n1", "01\n1", ""},
	} {
		edges, nodes := goodEdges, goodNodes
		for name := range strings.Lines(c.edges) {
			edges += "2020-03-02,b," + strings.TrimSpace(name) + ",1\n"
		}
		for name := range strings.Lines(c.nodes) {
			nodes += "2020-03-02," + strings.TrimSpace(name) + ",1,1\n"
		}
		config, _ := small(write(t, "edges.csv", edges), write(t, "nodes.csv", nodes))
		if _, err := table.Read(t.Context(), config); (err != nil) != (c.says != "") ||
			err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q in edges and %q in nodes: %v", c.edges, c.nodes, err)
		}
	}
}

// TestNumbers has nodes and times that are numbers: nodes are in the order of numbers.
func TestNumbers(t *testing.T) {
	c, notices := small(write(t, "edges.csv", "time,source,destination,weight\n-3,10,9,1\n-1e1,9,10,2\n2.5,100,9,3\n"), "")
	c.Nodes, c.Lags = table.Nodes{}, 0
	s := read(t, c).Series
	if d := cmp.Diff([]string{"9", "10", "100"}, s.NodeNames); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{-10, -3, 2.5}, s.Times); d != "" || s.Dates != nil {
		t.Error(d, s.Dates)
	}
	if d := cmp.Diff([][]float64{{2, 0, 0}, {0, 1, 0}, {0, 0, 3}}, s.Weights); d != "" {
		t.Error(d)
	}
	if s.TargetSize != 0 || s.Targets != nil || s.FeatureSize != 1 || s.Features[2][1] != 1 || notices.Len() > 0 {
		t.Errorf("targets of size %d, features %v; %s", s.TargetSize, s.Features, notices)
	}
	c.Edges.Path = write(t, "edges.csv", "time,source,destination,weight\n1600000000,10,9,1\n1600086400,9,10,2\n")
	if read(t, c); notices.Len() > 0 { // package forecast divides times by their gap, and package pengcde has a notice
		t.Errorf("notices %q", notices)
	}
}

// counted are edges from a to b at times, and how many each step has.
func counted(t *testing.T, c table.Config, times ...string) []float64 {
	t.Helper()
	edges := "time,source,destination,weight\n"
	for _, at := range times {
		edges += at + ",a,b,1\n"
	}
	c.Edges.Path, c.Nodes, c.WithoutEdges = write(t, "edges.csv", edges), table.Nodes{}, table.Empty
	var counts []float64
	for _, row := range read(t, c).Series.Weights {
		counts = append(counts, row[0])
	}
	return counts
}

// TestSteps has steps that are numbers: one that rounding alone puts before a step is in it, a unit before is not.
func TestSteps(t *testing.T) {
	for _, s := range []struct {
		step  float64
		times []string
		want  []float64
	}{
		{0.1, []string{"0.1", "0.2", "0.3", "0.35", "0.6", "0.7"}, []float64{1, 1, 2, 0, 0, 1, 1}},
		{60, []string{"1600000020", "1600000079", "1600000080", "1600000139", "1600000140"}, []float64{2, 2, 1}},
		{1000, []string{"1600000000000", "1600000000999", "1600000001000"}, []float64{2, 1}},
	} {
		c, _ := small("", "")
		c.Step.Number = s.step
		if got := counted(t, c, s.times...); !slices.Equal(got, s.want) {
			t.Errorf("steps of %g have weights %v, want %v", s.step, got, s.want)
		}
	}
}

// TestEnd tells of a newest step that ends early, of either file.
func TestEnd(t *testing.T) {
	const week = 7 * 24 * time.Hour
	for name, c := range map[string]struct {
		step  table.Step
		times []string
		told  bool
	}{
		"until Tuesday":  {table.Step{Duration: week}, []string{"2020-03-02", "2020-03-08", "2020-03-10"}, true},
		"until Saturday": {table.Step{Duration: week}, []string{"2020-03-08", "2020-03-09", "2020-03-14"}, false},
		"Mondays":        {table.Step{Duration: week}, []string{"2020-03-02", "2020-03-09", "2020-03-16"}, false},
		"one step":       {table.Step{Duration: week}, []string{"2020-03-02"}, false},
		"numbers":        {table.Step{Number: 10}, []string{"19", "-1", "20", "9", "23"}, true},
		"whole numbers":  {table.Step{Number: 10}, []string{"19", "-1", "20", "9", "29"}, false},
		"no step":        {table.Step{}, []string{"19", "20"}, false},
	} {
		config, notices := small("", "")
		config.Step = c.step
		counted(t, config, c.times...)
		if told := strings.Contains(notices.String(), "the newest step"); told != c.told {
			t.Errorf("%s: notices %q", name, notices)
		}
	}
	edges := "time,source,destination,weight\n2020-03-08,a,b,1\n2020-03-15,a,b,1\n"
	nodes := "time,node,cases,beds\n2020-03-08,a,1,2\n2020-03-10,a,1,2\n"
	c, notices := small(write(t, "edges.csv", edges), write(t, "nodes.csv", nodes))
	c.Step.Duration = week
	read(t, c)
	if text := notices.String(); strings.Count(text, "the newest step") != 1 ||
		!strings.Contains(text, "nodes.csv: the newest step of 7d, from 2020-03-09 on, has rows until 2020-03-10 alone") {
		t.Errorf("notices %q", text)
	}
}

// TestShared counts rows of weights that snapshots share once.
func TestShared(t *testing.T) {
	const nodes, days = 20, 10
	values := "time,node,cases,beds\n"
	for d := range days {
		values += fmt.Sprintf("2020-03-%02d,n0,%d,1\n", d+1, d)
	}
	graph := func(day string) (rows string) {
		for pair := range nodes * nodes {
			rows += fmt.Sprintf("%s,n%d,n%d,1\n", day, pair/nodes, pair%nodes)
		}
		return rows
	}
	const header = "time,source,destination,weight\n"
	first, second, third := graph("2020-03-01"), graph("2020-03-02"), graph("2020-03-03")
	for name, c := range map[string]struct {
		rows, time string
		without    table.WithoutEdges
		wrong      string
	}{
		"static":      {first, table.None, "", ""},
		"held":        {first + second, "", table.Hold, ""},
		"empty":       {first, "", table.Empty, ""},
		"three held":  {first + second + third, "", table.Hold, "more than 1000 values in 3 snapshots so far"},
		"three empty": {first + second, "", table.Empty, "3 graphs of 400 edges and 10 snapshots of 20 nodes hold more than"},
	} {
		config, _ := small(write(t, "edges.csv", header+c.rows), write(t, "nodes.csv", values))
		config.Edges.Time, config.WithoutEdges = c.time, c.without
		config.MaxValues = 1000 // two graphs; 5 values of each node at each time: a lag, a feature, and 3 for the target
		if _, err := table.Read(context.Background(), config); (err != nil) != (c.wrong != "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", name, err, c.wrong)
		}
	}
}

// TestRoom counts what rows have room for: one edge at each of many times takes as much as the most at any.
func TestRoom(t *testing.T) {
	rows := "time,source,destination,weight\n"
	for e := range 100 {
		rows += fmt.Sprintf("0,%d,%d,1\n", e, e+1)
	}
	for at := range 100 {
		rows += fmt.Sprintf("%d,0,1,1\n", at+1)
	}
	c, _ := small(write(t, "edges.csv", rows), "")
	c.Nodes, c.MaxValues = table.Nodes{}, 2000
	var at *table.Error
	if _, err := table.Read(context.Background(), c); !errors.As(err, &at) || at.Line != 1+100+20 {
		t.Errorf("%v, want an error at the 21st time", err)
	}
}

// TestWithoutEdges has times that only the nodes file has.
func TestWithoutEdges(t *testing.T) {
	late := write(t, "nodes.csv", goodNodes+"2020-03-04,a,1,1\n2020-03-05,a,1,1\n")
	for how, want := range map[table.WithoutEdges][]float64{table.Hold: {0, 2, 3}, table.Empty: {0, 0, 0}} {
		c, notices := small(write(t, "edges.csv", goodEdges), late)
		c.WithoutEdges = how
		s := read(t, c).Series
		if len(s.Times) != 4 || !slices.Equal(s.Weights[2], want) || !slices.Equal(s.Weights[3], want) {
			t.Errorf("%s: %v", how, s.Weights)
		}
		if !strings.Contains(notices.String(), "has no row for 2 of 4 snapshots") {
			t.Errorf("notices %q", notices)
		}
		if d := cmp.Diff([]float64{0, 1, 3, 4}, s.Times); d != "" {
			t.Errorf("in the median distance of a day: %s", d)
		}
	}
}

// TestStatic has edges without times and weights: they are the edges of all snapshots, and rows are counted.
func TestStatic(t *testing.T) {
	c, notices := small(write(t, "edges.csv", "source,destination\na,b\nb,c\na,b\n"), write(t, "nodes.csv", goodNodes))
	if _, err := table.Read(context.Background(), c); !errors.Is(err, dyngraph.ErrInvalid) ||
		!strings.Contains(err.Error(), `"-"`) {
		t.Errorf("without a word on the time: %v", err)
	}
	c.Edges.Time, c.Edges.Weight = table.None, table.None
	s := read(t, c).Series
	if d := cmp.Diff([][]float64{{2, 1}, {2, 1}}, s.Weights); d != "" || &s.Weights[0][0] != &s.Weights[1][0] {
		t.Error("graphs differ or are held twice", d)
	}
	if len(s.Times) != 2 || s.Dates == nil || notices.Len() > 0 {
		t.Errorf("times %v, notices %s", s.Times, notices)
	}
}

// TestNotices tells of nodes that one file lacks, and of columns that nobody reads.
func TestNotices(t *testing.T) {
	c, notices := small(write(t, "edges.csv", goodEdges+"2020-03-01,z,a,1\n"),
		write(t, "nodes.csv", goodNodes+"2020-03-01,alone,1,1\n"))
	c.Nodes.Features = nil
	s := read(t, c).Series
	if d := cmp.Diff([]string{"a", "alone", "b", "c", "z"}, s.NodeNames); d != "" {
		t.Error(d)
	}
	for _, want := range []string{`nodes.csv: columns not read: "beds"`, "1 of 5 nodes have no row in", `all times: "z"`,
		"1 of 5 nodes have no edge in", `other node: "alone"`, `column "cases" has no value for 3 of 10 pairs`} {
		if !strings.Contains(notices.String(), want) {
			t.Errorf("no %q in %s", want, notices)
		}
	}
}

// TestRecipe reads later files by the recipe of earlier ones.
func TestRecipe(t *testing.T) {
	ctx := context.Background()
	c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
	first := read(t, c)
	recipe := first.Recipe
	recipe.Config.Notices = io.Discard
	edges := write(t, "new.csv", strings.NewReplacer("2020-03", "2021-04").Replace(swap(goodEdges, "b,c,3", "b,a,3")))
	nodes := write(t, "values.csv", "node,time,beds,cases\na,2021-04-01,5,1\nb,2021-04-02,8,\n")
	s, err := recipe.Read(ctx, edges, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first.Series.NodeNames, s.NodeNames); d != "" || s.FeatureSize != first.Series.FeatureSize {
		t.Error(d)
	}
	if s.Features[0][0] != first.Series.Features[0][0] || s.Scales[0].Mean[0] != first.Series.Scales[0].Mean[0] {
		t.Error("the same values have other features")
	}
	var at *table.Error
	strange := write(t, "new.csv", goodEdges+"2020-03-02,x,y,1\n2020-03-02,x,a,1\n")
	if _, err = recipe.Read(ctx, strange, nodes); !errors.As(err, &at) || at.Line != 5 || at.Column != "source" ||
		!strings.Contains(err.Error(), `2 nodes that the model was not made for: "x", "y"`) {
		t.Errorf("unknown nodes: %v", err)
	}
	numbers := write(t, "new.csv", "time,source,destination,weight\n1,a,b,1\n")
	if _, err = recipe.Read(ctx, numbers, nodes); !errors.As(err, &at) ||
		!strings.Contains(err.Error(), "the model was made") {
		t.Errorf("numbers for dates: %v", err)
	}
	for name, change := range map[string]func(r *table.Recipe){
		"no nodes":       func(r *table.Recipe) { r.NodeNames = nil },
		"equal nodes":    func(r *table.Recipe) { r.NodeNames = []string{"a", "a", "b"} },
		"no scales":      func(r *table.Recipe) { r.TargetScale = dyngraph.Scale{} },
		"other features": func(r *table.Recipe) { r.Config.Nodes.Features = nil },
		"no unit":        func(r *table.Recipe) { r.TimeUnit = 0 },
		"no deviation":   func(r *table.Recipe) { r.FeatureStd = []float64{0} },
		"lags":           func(r *table.Recipe) { r.Config.Lags = -7 },
	} {
		damaged := recipe
		change(&damaged)
		if s, err := damaged.Read(ctx, edges, nodes); s != nil || !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := recipe.Read(ctx, edges, ""); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("no nodes file: %v", err)
	}
}

// Notices tell of days in another zone than UTC, and of nodes that hardly change where scales are taken.
func TestNoticesOfZonesAndStillNodes(t *testing.T) {
	var edges, nodes strings.Builder
	edges.WriteString("time,source,destination,weight\n")
	nodes.WriteString("time,node,cases\n")
	for day := range 20 {
		at := time.Date(2024, 3, 1+day, 0, 0, 0, 0, time.FixedZone("", 3600)).Format("2006-01-02 15:04:05-0700")
		fmt.Fprintf(&edges, "%s,a,b,1\n%s,b,c,1\n", at, at)
		still := 0
		if day > 15 {
			still = 80
		}
		fmt.Fprintf(&nodes, "%s,a,%d\n%s,b,%d\n%s,c,%d\n", at, day%5, at, 3*day%7, at, still)
	}
	var said strings.Builder
	c := table.Config{Step: table.Step{Duration: 24 * time.Hour}, Notices: &said,
		Edges: table.Edges{Path: write(t, "edges.csv", edges.String())},
		Nodes: table.Nodes{Path: write(t, "nodes.csv", nodes.String()), Targets: []string{"cases"}}}
	if _, err := table.Read(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"edges.csv, line 2: a time has an offset from UTC; days begin at midnight UTC",
		`"cases" hardly changes at 1 of 3 nodes in the first 0.6 of the times`, `dominate squared errors: "c"`,
		"up to 388 deviations"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("no %q in %s", want, said.String())
		}
	}
	said.Reset()
	c.Step = table.Step{Duration: time.Hour * 12}
	if _, err := table.Read(t.Context(), c); err == nil || strings.Contains(said.String(), "UTC") {
		t.Errorf("%v; steps of 12 hours: %s", err, said.String())
	}
}

// Parquet has local times with a zone in UTC: a local midnight may be on the day before. Times without a zone, and
// midnights of UTC, are as they are meant.
func TestNoticeOfZonesInParquet(t *testing.T) {
	type row struct {
		UTC         int64  `parquet:"utc,timestamp(microsecond:utc)"`
		Local       int64  `parquet:"local,timestamp(microsecond:local)"`
		Source      string `parquet:"source"`
		Destination string `parquet:"destination"`
		Weight      int64  `parquet:"weight"`
	}
	for _, c := range []struct {
		column string
		hour   int
		said   bool
	}{{"utc", 23, true}, {"utc", 0, false}, {"local", 23, false}} {
		at := time.Date(2023, 12, 31, c.hour, 0, 0, 0, time.UTC).UnixMicro()
		config, notices := small(write(t, "edges.parquet", encoded(t, row{at, at, "a", "b", 1})), "")
		config.Nodes, config.Edges.Time, config.Step.Duration = table.Nodes{}, c.column, 24*time.Hour
		read(t, config)
		if said := strings.Contains(notices.String(), "edges.parquet, row 1: a time was converted to UTC and is at no "+
			"midnight there; days begin at midnight UTC"); said != c.said {
			t.Errorf("%s at %d: notices %q", c.column, c.hour, notices)
		}
	}
}

// Whole numbers beyond 2^53 are times if a float64 holds them: nanoseconds of days, and numbers written as floats.
func TestLargeTimes(t *testing.T) {
	for _, times := range [][2]string{{"1700006400000000000", "1700092800000000000"}, {"1.7e18", "1.8e18"},
		{"1700006400000000000.0", "1700092800000000000.0"}} {
		edges := fmt.Sprintf("time,source,destination,weight\n%s,a,b,1\n%s,b,c,1\n", times[0], times[1])
		nodes := fmt.Sprintf("time,node,cases,beds\n%[1]s,a,1,1\n%[1]s,b,1,2\n%[2]s,a,2,1\n%[2]s,b,3,2\n",
			times[0], times[1])
		c, _ := small(write(t, "edges.csv", edges), write(t, "nodes.csv", nodes))
		if _, err := table.Read(t.Context(), c); err != nil {
			t.Errorf("%s: %v", times, err)
		}
	}
}

// TestConfig refuses what cannot be meant.
func TestConfig(t *testing.T) {
	for want, change := range map[string]func(c *table.Config){
		"no Edges.Path":           func(c *table.Config) { c.Edges.Path = "" },
		"no Nodes.Path":           func(c *table.Config) { c.Nodes.Path = "" },
		"no columns to read":      func(c *table.Config) { c.Nodes.Targets, c.Nodes.Features = nil, nil },
		"static graph and no":     func(c *table.Config) { c.Edges.Time, c.Nodes = table.None, table.Nodes{} },
		`WithoutEdges "repeat"`:   func(c *table.Config) { c.WithoutEdges = "repeat" },
		`Edges.Aggregate "max"`:   func(c *table.Config) { c.Edges.Aggregate = "max" },
		"-2 lags":                 func(c *table.Config) { c.Lags = -2 },
		"no lags and no features": func(c *table.Config) { c.Lags, c.Nodes.Features = -1, nil },
		"Config.Horizon -1":       func(c *table.Config) { c.Horizon = -1 },
		"First 3, want 1 to":      func(c *table.Config) { c.First, c.Horizon = 3, 2 },
		`Config.Scale "log"`:      func(c *table.Config) { c.Scale = "log" },
		"and Unscaled: want one":  func(c *table.Config) { c.Scale, c.Unscaled = table.Log1p, true },
		"First -1, want 1 to":     func(c *table.Config) { c.First = -1 },
		"TrainFraction 2":         func(c *table.Config) { c.TrainFraction = 2 },
		"MaxValues -1":            func(c *table.Config) { c.MaxValues = -1 },
		"want a number or a dur":  func(c *table.Config) { c.Step = table.Step{Number: 1, Duration: 1000} },
		"want a positive dur":     func(c *table.Config) { c.Step = table.Step{Duration: -time.Hour} },
		`column "cases" is asked`: func(c *table.Config) { c.Nodes.Features = []string{"cases"} },
		`column "source" is`:      func(c *table.Config) { c.Edges.From, c.Edges.To = "source", "source" },
		`Edges.EmptyWeight "no"`:  func(c *table.Config) { c.Edges.EmptyWeight = "no" },
		`Config.Separator ":"`:    func(c *table.Config) { c.Separator = ":" },
		`Config.Decimal "x"`:      func(c *table.Config) { c.Decimal = "x" },
		`Config.DateFormat "01/`:  func(c *table.Config) { c.DateFormat = "01/02/2006" },
		"Nodes.Time":              func(c *table.Config) { c.Nodes.Time = table.None },
	} {
		c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
		change(&c)
		if _, err := table.Read(context.Background(), c); !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"edges.csv", "edges.parquet"} {
		content := goodEdges
		if strings.HasSuffix(name, "parquet") {
			content = encoded(t, slices.Repeat([]parquetEdge{{time.Unix(0, 0), "a", "b", 1}}, 5000)...)
		}
		c, _ := small(write(t, name, content), write(t, "nodes.csv", goodNodes))
		if _, err := table.Read(ctx, c); !errors.Is(err, context.Canceled) || errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseStep(t *testing.T) {
	for text, want := range map[string]table.Step{
		"": {}, "7": {Number: 7}, "0.25": {Number: 0.25}, "1d": {Duration: 24 * time.Hour},
		"2w": {Duration: 14 * 24 * time.Hour}, "90m": {Duration: 90 * time.Minute},
	} {
		got, err := table.ParseStep(text)
		again, errAgain := table.ParseStep(got.String())
		if err := errors.Join(err, errAgain); err != nil || got != want || again != want {
			t.Errorf("%q: %v, again %v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"-1", "d", "1y", "Inf", "NaN", "99999999999999999999w", "-2h", "1ns", "0",
		"-0", "0d", "0h", "1e-400"} {
		if got, err := table.ParseStep(text); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
