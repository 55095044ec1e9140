package table_test

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/peng-cde/pengcde-go/datasets/table"
)

// wider adds a cell to the first line and one to each other.
func wider(text, first, other string) string {
	return swap(strings.ReplaceAll(text, "\n", other+"\n"), other+"\n", first+"\n")
}

// TestDirtyText reads files that say the same as good ones, in the ways of other programs and countries. The recipe,
// stored as JSON, reads them again.
func TestDirtyText(t *testing.T) {
	c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
	want := read(t, c).Series
	semicolons := strings.ReplaceAll(goodEdges, ",", ";")
	us := strings.NewReplacer("2020-03-01", "3/1/2020", "2020-03-02", "03/02/2020")
	for name, f := range map[string]struct {
		edges, nodes string
		change       func(c *table.Config)
		notice       string
	}{
		"semicolons":       {edges: semicolons},
		"decimal commas":   {edges: strings.NewReplacer(";1\n", ";1,0\n", ";2\n", ";0,2e1\n").Replace(semicolons)},
		"thousandths":      {edges: strings.NewReplacer(";1\n", ";1,00\n", ";2\n", ";2,000\n").Replace(semicolons)},
		"decimal points":   {edges: strings.NewReplacer(";1\n", ";1.0\n", ";3\n", ";3.000\n").Replace(semicolons)},
		"quoted semicolon": {edges: wider(goodEdges, `,"a;b"`, ","), notice: `columns not read: "a;b"`},
		"a named separator": {edges: wider(semicolons, ";a,b", ";"), nodes: strings.ReplaceAll(goodNodes, ",", ";"),
			change: func(c *table.Config) { c.Separator = ";" }, notice: `columns not read: "a,b"`},
		"a named decimal comma": {edges: swap(goodEdges, "a,2", `a,"2,000"`),
			change: func(c *table.Config) { c.Decimal = "," }},
		"bars": {edges: strings.ReplaceAll(goodEdges, ",", "|"),
			nodes: strings.ReplaceAll(goodNodes, ",", "|"), change: func(c *table.Config) { c.Separator = "|" }},
		"months first": {edges: us.Replace(goodEdges), nodes: us.Replace(goodNodes),
			change: func(c *table.Config) { c.DateFormat = "MM/DD/YYYY" }},
		"a format for one file": {edges: us.Replace(goodEdges),
			change: func(c *table.Config) { c.DateFormat = "MM/DD/YYYY" }},
		"days first": {edges: strings.NewReplacer("2020-03-01", "1.3.2020 00:00", "2020-03-02", "02.03.2020 0:00").
			Replace(goodEdges), change: func(c *table.Config) { c.DateFormat = "DD.MM.YYYY hh:mm" }},
		"twelve hours": {edges: strings.NewReplacer("2020-03-01", "3/1/2020 12:00:00 AM", "2020-03-02",
			"3/2/2020 12:00:00 AM").Replace(goodEdges),
			change: func(c *table.Config) { c.DateFormat = "MM/DD/YYYY hh:mm:ss AM" }},
		"dates without separators": {edges: strings.ReplaceAll(goodEdges, "-", ""),
			change: func(c *table.Config) { c.DateFormat = "YYYYMMDD" }},
		"other names": {edges: swap(goodEdges, "time,source,destination,weight", "Day,SRC,to,count"),
			nodes: swap(goodNodes, "time,node", "date,region"), notice: `edges.csv: columns taken: Edges.From "SRC", ` +
				`Edges.To "to", Edges.Time "Day", Edges.Weight "count"`},
		"a name that is given wins": {edges: wider(goodEdges, ",count", ",9"),
			change: func(c *table.Config) { c.Edges.Weight = "weight" }},
		"a target with a common name": {nodes: swap(goodNodes, "cases", "date"),
			change: func(c *table.Config) { c.Nodes.Targets = []string{"date"} }},
		"empty weights left out": {edges: goodEdges + "2020-03-02,c,a,\n2020-03-02,c,z,NA\n",
			change: func(c *table.Config) { c.Edges.EmptyWeight = table.Drop },
			notice: `edges.csv: 2 of 5 rows have no weight: Edges.EmptyWeight "drop" leaves them out`},
		"empty weights added": {edges: goodEdges + "2020-03-02,b,a,\n",
			change: func(c *table.Config) { c.Edges.EmptyWeight = table.Zero },
			notice: `1 of 4 rows have no weight: Edges.EmptyWeight "zero" makes it 0`},
		"the mean of a node's values": {nodes: strings.NewReplacer("a,1,5\n", "a,0,5\n2020-03-01,a,2,5\n").Replace(goodNodes),
			change: func(c *table.Config) { c.Nodes.Aggregate = table.Mean }},
		"a node's last values": {nodes: strings.NewReplacer("a,1,5\n", "a,7,7\n2020-03-01,a,1,5\n").Replace(goodNodes),
			change: func(c *table.Config) { c.Nodes.Aggregate = table.Last }},
	} {
		t.Run(name, func(t *testing.T) {
			if f.edges == "" {
				f.edges = goodEdges
			}
			if f.nodes == "" {
				f.nodes = goodNodes
			}
			c, notices := small(write(t, "edges.csv", f.edges), write(t, "nodes.csv", f.nodes))
			if f.change != nil {
				f.change(&c)
			}
			data := read(t, c)
			if d := cmp.Diff(want, data.Series, same); d != "" {
				t.Error(d)
			}
			if !strings.Contains(notices.String(), f.notice) {
				t.Errorf("notices %q, want %q", notices, f.notice)
			}
			text, err := json.Marshal(data.Recipe)
			if err != nil {
				t.Fatal(err)
			}
			var stored table.Recipe
			if err := json.Unmarshal(text, &stored); err != nil {
				t.Fatal(err)
			}
			stored.Config.Notices = io.Discard
			again, err := stored.Read(context.Background(), c.Edges.Path, c.Nodes.Path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, again, same); d != "" {
				t.Errorf("by the recipe: %s", d)
			}
		})
	}
}

// A recipe has the columns that were found, and files must have the same. One of an older version has no choices.
func TestRecipeKeepsColumns(t *testing.T) {
	ctx := context.Background()
	c, _ := small(write(t, "edges.csv", swap(goodEdges, "time", "day")), write(t, "nodes.csv", goodNodes))
	recipe := read(t, c).Recipe
	recipe.Config.Notices = io.Discard
	if e := recipe.Config.Edges; e.Time != "day" || e.From != "source" || recipe.Config.Nodes.Time != "time" {
		t.Errorf("columns %+v", recipe.Config)
	}
	_, err := recipe.Read(ctx, write(t, "edges.csv", goodEdges), c.Nodes.Path)
	if err == nil || !strings.Contains(err.Error(), `column "day": found the columns "time", "source", "destination", `+
		`"weight", want a column with this name, which the first files had`) {
		t.Error(err)
	}
	text, err := json.Marshal(recipe)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(text), `"EmptyWeight":"error",`, "", 1)
	var stored table.Recipe
	if err := json.Unmarshal([]byte(old), &stored); err != nil || old == string(text) {
		t.Fatalf("%v: %s", err, text)
	}
	stored.Config.Notices = io.Discard
	if _, err := stored.Read(ctx, c.Edges.Path, c.Nodes.Path); err != nil {
		t.Error(err)
	}
}

// TestAveragesAreSaid has two rows of a node in a step: they are averaged, and a notice says so unless this was asked
// for.
func TestAveragesAreSaid(t *testing.T) {
	nodes := goodNodes + "2020-03-02T12:00,c,8,12\n"
	for how, said := range map[table.Aggregate]bool{"": true, table.Mean: false, table.Sum: false} {
		c, notices := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", nodes))
		c.Step.Duration, c.Nodes.Aggregate = 24*time.Hour, how
		data := read(t, c)
		const text = "1 rows are of a node that has another row in the same step of 1d: their values are averaged, unless " +
			`Nodes.Aggregate "sum" or "last"`
		if strings.Contains(notices.String(), text) != said {
			t.Errorf("%q: notices %q", how, notices)
		}
		notices.Reset()
		data.Recipe.Config.Notices = notices
		if _, err := data.Recipe.Read(context.Background(), c.Edges.Path, c.Nodes.Path); err != nil ||
			strings.Contains(notices.String(), "averaged") {
			t.Errorf("%q by the recipe: %v, %s", how, err, notices)
		}
	}
}

// decimals is a Parquet file whose weights are DECIMAL of three digits after the point.
func decimals(t testing.TB, kind parquet.Type, values ...parquet.Value) string {
	t.Helper()
	precision := 12
	if kind == parquet.Int32Type {
		precision = 9
	}
	schema := parquet.NewSchema("edges", parquet.Group{"time": parquet.Decimal(0, 9, parquet.Int32Type),
		"source": parquet.String(), "destination": parquet.String(), "weight": parquet.Decimal(3, precision, kind)})
	var out strings.Builder
	w := parquet.NewWriter(&out, schema)
	for i, value := range values {
		// Columns of a group are in the order of their names.
		if _, err := w.WriteRows([]parquet.Row{{parquet.ByteArrayValue([]byte("b")).Level(0, 0, 0),
			parquet.ByteArrayValue([]byte("a")).Level(0, 0, 1), parquet.Int32Value(int32(i)).Level(0, 0, 2),
			value.Level(0, 0, 3)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestParquetDecimals(t *testing.T) {
	two := func(whole int64, bytes int) []byte { // in two's complement
		number := big.NewInt(whole)
		if whole < 0 {
			number.Add(number, new(big.Int).Lsh(big.NewInt(1), uint(8*bytes)))
		}
		return number.FillBytes(make([]byte, bytes))
	}
	for name, c := range map[string]struct {
		kind  parquet.Type
		value func(whole int64) parquet.Value
	}{
		"32 bits": {parquet.Int32Type, func(v int64) parquet.Value { return parquet.Int32Value(int32(v)) }},
		"64 bits": {parquet.Int64Type, parquet.Int64Value},
		"16 bytes": {parquet.FixedLenByteArrayType(16),
			func(v int64) parquet.Value { return parquet.FixedLenByteArrayValue(two(v, 16)) }},
		"bytes": {parquet.ByteArrayType, func(v int64) parquet.Value { return parquet.ByteArrayValue(two(v, 5)) }},
	} {
		config, _ := small(write(t, "edges.parquet", decimals(t, c.kind, c.value(1234500), c.value(-1), c.value(0))), "")
		config.Nodes, config.Edges.Signed = table.Nodes{}, true
		s := read(t, config).Series
		got := slices.Concat(s.Weights...)
		if d := cmp.Diff([]float64{1234.5, -0.001, 0}, got); d != "" || !slices.Equal(s.Times, []float64{0, 1, 2}) {
			t.Errorf("%s: times %v, %s", name, s.Times, d)
		}
	}
	long := parquet.ByteArrayValue(slices.Repeat([]byte{math.MaxInt8}, 33))
	config, _ := small(write(t, "edges.parquet", decimals(t, parquet.ByteArrayType, long)), "")
	config.Nodes = table.Nodes{}
	if _, err := table.Read(context.Background(), config); err == nil || !strings.Contains(err.Error(), "33 bytes") {
		t.Error(err)
	}
}
