package figures

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testTable() *Table {
	return &Table{
		Title: "Test error",
		Columns: []Column{{Title: "model"}, {Title: "test data A", Better: Lower},
			{Title: "accuracy", Better: Higher, Decimals: 1}},
		Rows: [][]Cell{
			{Text("first"), Estimate(0.641, 0.032).Published(Estimate(0.62, 0.02)), Number(71.3)},
			{Text("second"), Estimate(0.668, 0.011), Estimate(80, 2.5).Published(Number(79.6))},
			{Text("third"), Estimate(0.702, 0.2), Number(78)},
			{Text("a|b <c>"), Missing()},
			{Text("fourth"), NoResult("missing, 3 of 3").Published(Number(0.9)), NoResult("missing, 3 of 3")},
		},
		Finding: "The first is best on A; 2 * 2 seeds.",
		Notes:   []string{"Three seeds & test data."},
	}
}

func TestMarkdown(t *testing.T) {
	want := `**Test error**

| model       |       test data A | test data A, paper |       accuracy | accuracy, paper |
|:------------|------------------:|-------------------:|---------------:|----------------:|
| first       | **0.641 ± 0.032** |      0.620 ± 0.020 |           71.3 |               – |
| second      |     0.668 ± 0.011 |                  – | **80.0 ± 2.5** |            79.6 |
| third       |     0.702 ± 0.200 |                  – |           78.0 |               – |
| a\|b &lt;c> |                 – |                  – |              – |               – |

The first is best on A; 2 \* 2 seeds. No result is stored for fourth.
`
	got, err := testTable().Markdown()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	notes := `
Notes:

- Three seeds & test data.
- ±: 95% interval; bold (in plain text ◄): the best of its column; paper: what was published; –: missing.
`
	if diff := cmp.Diff(want+notes, testTable().String()); diff != "" {
		t.Errorf("String: -want +got\n%s", diff)
	}
}

func TestHTML(t *testing.T) {
	page, err := testTable().HTML()
	if err != nil {
		t.Fatal(err)
	}
	const number = `<td style="text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;` +
		`padding:3px 8px;vertical-align:top">`
	for _, want := range []string{
		number + `<b>0.641 ± 0.032</b></td>` + number + `0.620 ± 0.020</td>`,
		number + `0.668 ± 0.011</td>`,
		number + `<b>80.0 ± 2.5</b></td>` + number + `79.6</td>`,
		number + `–</td>`,
		`<td style="text-align:left;min-width:6em;padding:3px 8px;vertical-align:top;min-width:10em">a|b &lt;c&gt;</td>`,
		`The first is best on A; 2 * 2 seeds. No result is stored for fourth.</p>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %s\n%s", want, page)
		}
	}
	if strings.Contains(page, "test data.") || strings.Contains(page, "missing") {
		t.Errorf("page has notes, which are for its end:\n%s", page)
	}
	texts(t, []byte("<div>"+page+"</div>"))
}

// A number that is not complete says so in all forms, and the notes explain it.
func TestIncomplete(t *testing.T) {
	cell := Estimate(9.81, 0.5).Incomplete("3 of 10 <seeds>").Published(Estimate(11.155, 0.669))
	table := &Table{Columns: []Column{{Title: "model"}, {Title: "grid", Better: Lower, Decimals: 2}},
		Rows: [][]Cell{{Text("a"), cell}, {Text("b"), Missing().Incomplete("0 of 10")}, {Text("c"), Estimate(12, 3)},
			{Text("d"), Number(20)}}}
	text := table.String()
	for _, want := range []string{"| 9.81 ± 0.50, 3 of 10 &lt;seeds> | 11.15 ± 0.67 |", "**12.00 ± 3.00** |", " – |",
		"of those that are there, not compared"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, width := range []int{80, 42} { // in one block, and in two
		text, err := table.Text(width)
		if err != nil || strings.Count(text, "3 of 10 <seeds>") != 1 || !strings.Contains(text, "9.81 ± 0.50,") {
			t.Errorf("%v\n%s", err, text)
		}
	}
	page, err := table.HTML()
	want := `9.81 ± 0.50 <span style="display:block">3 of 10 &lt;seeds&gt;</span></td>`
	if err != nil || !strings.Contains(page, want) {
		t.Errorf("%v: no %s in\n%s", err, want, page)
	}
	texts(t, []byte("<div>"+page+"</div>"))
}

// The line that a table scrolls is shown in boxes narrower than the longest words and numbers need.
func TestLeastWidth(t *testing.T) {
	narrow := &Table{Columns: []Column{{Title: "a"}, {Title: "b"}}, Rows: [][]Cell{{Text("x"), Number(1)}}}
	long := &Table{Columns: narrow.Columns, Rows: [][]Cell{{Text("some words that wrap"), Estimate(1234.5, 123.4)}}}
	for _, c := range []struct {
		table *Table
		least string // 130 and 7 of text, 16 of padding each, rounded up; the words wrap, the number does not
	}{{narrow, "170"}, {long, "240"}} {
		page, err := c.table.HTML()
		if err != nil || !strings.Contains(page, "@container(max-width:"+c.least+"px)") {
			t.Errorf("%v: want a line below %s pixels in\n%s", err, c.least, page)
		}
	}
}

// How cells are marked: b best, . not.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		name   string
		better Direction
		cells  []Cell
		want   string
	}{
		{"lower", Lower, []Cell{Number(3), Number(1), Number(2)}, ".b."},
		{"higher", Higher, []Cell{Number(3), Number(1), Number(2)}, "b.."},
		{"not compared", NotCompared, []Cell{Number(3), Number(1)}, ".."},
		{"intervals do not count", Lower, []Cell{Estimate(1, 0.5), Estimate(1.4, 0), Estimate(1.6, 9)}, "b.."},
		{"ties", Higher, []Cell{Number(2), Number(2), Number(1)}, "bb."},
		{"missing never wins", Lower, []Cell{Missing(), Number(nan), Number(5), Number(6)}, "..b."},
		{"what is not complete never wins", Lower, []Cell{Number(1).Incomplete("2 of 3"), Number(2), Number(3)}, ".b."},
		{"infinite never wins", Higher, []Cell{Number(inf), Number(1), Number(0)}, ".b."},
		{"published never wins", Lower, []Cell{Number(2).Published(Number(0.1)), Number(1),
			Missing().Published(Number(0))}, ".b."},
		{"words", Lower, []Cell{Text("0"), Number(1), Number(2)}, ".b."},
		{"unknown interval", Lower, []Cell{Estimate(1, nan), Number(1.0001)}, "b."},
		{"alone", Lower, []Cell{Number(1), Missing(), Number(0).Incomplete("2 of 3")}, "..."},
		{"nothing", Lower, []Cell{Missing(), Text("x")}, ".."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, m := range best(c.cells, c.better) {
				got += map[bool]string{true: "b", false: "."}[m]
			}
			if got != c.want {
				t.Errorf("%q, wanted %q", got, c.want)
			}
		})
	}
}

func TestCellText(t *testing.T) {
	for _, c := range []struct {
		cell     Cell
		decimals int
		want     string
	}{
		{Cell{}, 2, "–"},
		{Number(nan), 2, "–"},
		{Number(1.005), 1, "1.0"},
		{Number(-0.5), 2, "−0.50"},
		{Number(12345.678), 3, "12,346"},
		{Number(1234.5678), 3, "1,234.6"},
		{Estimate(30483, 1234), 0, "30,483 ± 1,234"},
		{Estimate(1.2, nan), 1, "1.2"},
		{Estimate(1.2, inf), 1, "1.2"},
		{Number(2.5e14), 2, "2.50×10¹⁴"},
		{Estimate(2.5e14, 1e13), 2, "(2.50 ± 0.10)×10¹⁴"},
		{Number(3e-7), 2, "3.00×10⁻⁷"},
		{Number(0), 2, "0.00"},
		{Number(inf), 2, "∞"},
		{Number(-inf), 2, "−∞"},
		{Text("no result"), 2, "no result"},
	} {
		if got := c.cell.value(c.decimals); got != c.want {
			t.Errorf("%+v with %d decimals: %q, wanted %q", c.cell, c.decimals, got, c.want)
		}
	}
}

func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []Cell
		asked int
		want  int
	}{
		{"two digits of the interval", []Cell{Estimate(0.64, 0.032)}, 0, 3},
		{"wide interval", []Cell{Estimate(640, 32)}, 0, 0},
		{"three digits without intervals", []Cell{Number(0.0512)}, 0, 4},
		{"counts", []Cell{Number(129), Number(7)}, 0, 0},
		{"asked", []Cell{Estimate(0.64, 0.032)}, 2, 2},
		{"none asked", []Cell{Estimate(0.64, 0.032)}, -1, 0},
		{"empty", nil, 0, 0},
		{"zero", []Cell{Number(0)}, 0, 0},
	} {
		if got := decimals(c.cells, c.asked); got != c.want {
			t.Errorf("%s: %d, wanted %d", c.name, got, c.want)
		}
	}
}

func TestHasPublished(t *testing.T) {
	for _, c := range []struct {
		rows [][]Cell
		want bool
	}{
		{nil, false},
		{[][]Cell{{Text("x"), Number(1)}, {}}, false},
		{[][]Cell{{Text("x"), Number(1).Published(Missing())}}, false},
		{[][]Cell{{Text("x")}, {Text("y"), Missing().Published(Number(0))}}, true},
	} {
		if table := (&Table{Rows: c.rows}); table.HasPublished() != c.want {
			t.Errorf("%+v: %t, want %t", c.rows, !c.want, c.want)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for name, table := range map[string]*Table{
		"has no columns":        {},
		"2 cells for 1 columns": {Columns: []Column{{Title: "a"}}, Rows: [][]Cell{{Text("x"), Text("y")}}},
	} {
		_, err := table.Markdown()
		_, err2 := table.HTML()
		if !errors.Is(err, ErrInput) || !errors.Is(err2, ErrInput) || !strings.Contains(table.String(), name) {
			t.Errorf("%s: %v, %v", name, err, err2)
		}
	}
}

// Rows that say that they have no result are named below the table, in all forms.
func TestRowsWithoutResults(t *testing.T) {
	none := NoResult("missing, 1 of 1")
	table := func(rows ...[]Cell) *Table {
		return &Table{Columns: []Column{{Title: "model"}, {Title: "a"}, {Title: "b"}}, Rows: rows}
	}
	full, paper := []Cell{Text("full"), Number(1), Number(2)}, []Cell{Text("paper"), none.Published(Number(3)), none}
	for _, c := range []struct {
		table *Table
		left  []string
		says  string
	}{
		{table(full, []Cell{Text("half"), none, Number(2)}, []Cell{Text("none"), none, Missing()},
			[]Cell{Text("words"), Text("diverged"), Missing()}, []Cell{Text("unsaid"), Missing()}, paper),
			[]string{"full", "half", "words", "unsaid"}, "No result is stored for none; paper."},
		{table([]Cell{Text("none"), none, none}), nil, "No result is stored."},
		{table([]Cell{Text("none"), none, none}, paper), []string{"none", "paper"}, ""},
	} {
		shown := c.table.shown()
		var left []string
		for _, row := range shown.Rows {
			left = append(left, row[0].text)
		}
		if !slices.Equal(left, c.left) || shown.Finding != c.says {
			t.Errorf("left %q, says %q; want %q, %q", left, shown.Finding, c.left, c.says)
		}
	}
}

// A range has the unit of its mean, and as many decimals.
func TestRanged(t *testing.T) {
	table := &Table{Columns: []Column{{Title: "error", Decimals: 3}}}
	for _, c := range []struct {
		cell Cell
		want string
	}{
		{Ranged(0.1671, 0.0439, 0.4049), "0.167 (0.044 to 0.405)"},
		{Ranged(2.2e-4, 1e-5, 4.8e-4), "2.20×10⁻⁴ (0.10 to 4.80×10⁻⁴)"},
		{Ranged(-1, -2.5, 0.25), "−1.000 (−2.500 to 0.250)"},
		{Ranged(3, 0, 3e7), "0.00×10⁷ (0.00 to 3.00×10⁷)"},
		{Ranged(math.NaN(), 1, 2), "–"},
	} {
		if got := c.cell.value(3); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		table.Rows = append(table.Rows, []Cell{c.cell})
	}
	if notes := strings.Join(Notes(table), " "); !strings.Contains(notes, "in brackets: lowest and highest") ||
		strings.Contains(notes, "±") {
		t.Errorf("notes %q do not explain a range, or explain an interval", notes)
	}
}
