package table_test

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// kinds has a column of texts: of node a it changes on day 3, of node b only the first row says it.
const kinds = `time,node,cases,kind
2024-01-01,a,1,town
2024-01-01,b,2,coast
2024-01-02,a,4,town
2024-01-02,b,5,
2024-01-03,a,6,coast
2024-01-03,b,7,
2024-01-04,a,8,forest
2024-01-04,b,9,
2024-01-05,a,8,town
2024-01-05,b,9,7
`

func readKinds(t *testing.T, nodes string, change func(*table.Config)) *table.Data {
	t.Helper()
	c := table.Config{Edges: table.Edges{Path: write(t, "edges.csv", "time,source,destination,weight\n1,a,b,1\n"),
		Time: table.None}, Lags: 1, Unscaled: true, Notices: io.Discard,
		Nodes: table.Nodes{Path: write(t, "nodes.csv", nodes), Targets: []string{"cases"}, Categories: []string{"kind"}}}
	if change != nil {
		change(&c)
	}
	return read(t, c)
}

// features returns the features of a node behind its one lag, by snapshot.
func features(d *table.Data, node int) (text string) {
	for _, row := range d.Series.Features {
		size := d.Series.FeatureSize
		text += fmt.Sprint(row[node*size+1 : (node+1)*size])
	}
	return text
}

// A text is an indicator of a category of the training times; later texts are no category. An empty cell is the text
// before.
func TestCategories(t *testing.T) {
	var notices strings.Builder
	d := readKinds(t, kinds, func(c *table.Config) { c.Notices = &notices })
	if got := fmt.Sprint(d.Recipe.Categories); got != "[[coast town]]" {
		t.Errorf("categories %s", got)
	}
	if !strings.Contains(notices.String(), `column "kind" has texts that the first 60 % of the times`) ||
		!strings.Contains(notices.String(), `do not have: "forest", "7": their features are all 0`) {
		t.Errorf("notices %q", notices.String())
	}
	for node, want := range []string{"[0 1][0 1][1 0][0 0][0 1]", "[1 0][1 0][1 0][1 0][0 0]"} {
		if got := features(d, node); got != want {
			t.Errorf("node %d: %s, want %s", node, got, want)
		}
	}
	none := readKinds(t, strings.ReplaceAll(kinds, "town", "none"), nil)
	if got := fmt.Sprint(none.Recipe.Categories); got != "[[coast none]]" {
		t.Errorf("a text that marks missing numbers is no category: %s", got)
	}
	kept := readKinds(t, kinds, func(c *table.Config) { c.KeepGaps = true })
	if got := features(kept, 1); got != "[1 0][NaN NaN][NaN NaN][NaN NaN][0 0]" {
		t.Errorf("gaps that are kept: %s", got)
	}
	scaled := readKinds(t, kinds, func(c *table.Config) { c.Unscaled = false })
	if got := features(scaled, 0); got != features(d, 0) {
		t.Errorf("indicators are standardised: %s", got)
	}
	steps := readKinds(t, kinds, func(c *table.Config) { c.Step, c.TrainFraction = must(table.ParseStep("2d")), 1 })
	if got := features(steps, 0); got != "[0 0 1][0 1 0][0 0 1]" { // 7, coast, town; the last of a step
		t.Errorf("steps of two days: %s, %v", got, steps.Recipe.Categories)
	}
	newer := "time,node,cases,kind\n2024-01-06,a,1,island\n2024-01-06,b,2,town\n2024-01-07,a,1,\n2024-01-07,b,1,coast\n"
	series, err := d.Recipe.Read(t.Context(), write(t, "edges.csv", "source,destination,weight\na,b,1\n"),
		write(t, "nodes.csv", newer))
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range []string{"[0 0][0 0]", "[0 1][1 0]"} {
		if got := features(&table.Data{Series: series}, node); got != want {
			t.Errorf("newer files, node %d: %s, want %s", node, got, want)
		}
	}
}

func must(step table.Step, err error) table.Step {
	if err != nil {
		panic(err)
	}
	return step
}

// Texts of later times change no feature of earlier ones.
func TestCategoriesDoNotLookAhead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const times = 10
		kind := rapid.SampledFrom([]string{"town", "coast", "forest", ""})
		text, changed := "time,node,cases,kind\n0,a,1,town\n", "time,node,cases,kind\n0,a,1,town\n"
		from := rapid.IntRange(6, times-1).Draw(rt, "from") // scales are of the first 6
		for k := 1; k < times; k++ {
			one, other := kind.Draw(rt, "kind"), rapid.StringMatching("[a-z]{1,5}").Draw(rt, "other")
			text += fmt.Sprintf("%d,a,%d,%s\n", k, k, one)
			if k >= from {
				one = other
			}
			changed += fmt.Sprintf("%d,a,%d,%s\n", k, k, one)
		}
		before, after := readKinds(t, text, nil), readKinds(t, changed, nil)
		for k := range from {
			if got, want := after.Series.Features[k], before.Series.Features[k]; !slices.Equal(got, want) {
				rt.Fatalf("features of %d changed from %v to %v by texts from %d on", k, want, got, from)
			}
		}
	})
}

// Parts of the date are features of all nodes, also where a node has no row.
func TestCalendar(t *testing.T) {
	d := readKinds(t, kinds, func(c *table.Config) {
		c.Nodes.Categories, c.Calendar = nil, []table.CalendarPart{table.Weekday, table.Month}
	})
	if d.Series.FeatureSize != 1+7+2 {
		t.Fatalf("%d features", d.Series.FeatureSize)
	}
	for node := range 2 {
		row := d.Series.Features[2][node*10+1 : (node+1)*10]
		fixture.Close(t, "Wednesday in January", row, []float64{0, 0, 1, 0, 0, 0, 0, 0, 1}, epsilon)
	}
	later, err := d.Recipe.Read(t.Context(), write(t, "edges.csv", "source,destination,weight\na,b,1\n"),
		write(t, "nodes.csv", "time,node,cases\n2024-10-06,a,1\n2024-10-06,b,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	angle := 2 * math.Pi * 9 / 12
	fixture.Close(t, "Sunday in October", later.Features[0][1:10],
		[]float64{0, 0, 0, 0, 0, 0, 1, math.Sin(angle), math.Cos(angle)}, epsilon)
}

// Columns that cannot be categories are errors that say what to do.
func TestIndicatorErrors(t *testing.T) {
	var many, texts strings.Builder
	many.WriteString("time,node,cases,kind\n")
	texts.WriteString("time,node,cases,kind\n")
	for k := range 5000 {
		if k < 70 {
			fmt.Fprintf(&many, "1,n%d,1,kind%d\n", k, k)
		}
		fmt.Fprintf(&texts, "%d,a,1,kind%d\n", k, k)
	}
	late := "time,node,cases,kind\n1,a,1,\n2,a,1,\n3,a,1,\n4,a,1,town\n"
	for _, c := range []struct {
		nodes, says string
		change      func(*table.Config)
	}{
		{strings.Replace(many.String(), "n0", "a", 1), `column "kind": found 70 categories in the first 60 % of times, ` +
			`such as "kind0", "kind1", "kind10", "kind11", "kind12" and 65 more, want at most 64`, nil},
		{texts.String(), `line 4098, column "kind": found more than 4096 different texts, want at most 64: combine`, nil},
		{late, `column "kind": found no category in the first 60 % of times, want texts there`, nil},
		{kinds, `column "kin": found the columns "time", "node", "cases", "kind", want a column with this name, or another ` +
			`Nodes.Categories such as "kind"`, func(c *table.Config) { c.Nodes.Categories = []string{"kin"} }},
		{kinds, `Config.Calendar "week", want "weekday", "month" or both`,
			func(c *table.Config) { c.Calendar = []table.CalendarPart{"week"} }},
		{kinds, `each once`, func(c *table.Config) { c.Calendar = []table.CalendarPart{table.Month, table.Month} }},
		{late, `Config.Calendar "month" and times that are numbers, want dates`,
			func(c *table.Config) { c.Calendar, c.Nodes.Categories = []table.CalendarPart{table.Month}, nil }},
	} {
		config := table.Config{Edges: table.Edges{Path: write(t, "edges.csv", "source,destination,weight\na,a,1\n"),
			Time: table.None}, Lags: 1, Notices: io.Discard, Nodes: table.Nodes{Path: write(t, "nodes.csv", c.nodes),
			Targets: []string{"cases"}, Categories: []string{"kind"}}}
		if c.change != nil {
			c.change(&config)
		}
		if _, err := table.Read(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %s", err, c.says)
		}
	}
	recipe := readKinds(t, kinds, nil).Recipe
	recipe.Categories = nil
	if _, err := recipe.Read(t.Context(), "edges.csv", "nodes.csv"); err == nil || !strings.Contains(err.Error(),
		"the categories of 0 columns, want 1") {
		t.Errorf("a recipe without categories: %v", err)
	}
}
