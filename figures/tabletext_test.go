package figures

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

func TestText(t *testing.T) {
	want := `Test error

                           test data A,                accuracy,
model        test data A          paper      accuracy      paper
-------  ---------------  -------------  ------------  ---------
first    0.641 ± 0.032 ◄  0.620 ± 0.020  71.3                  –
second   0.668 ± 0.011                –  80.0 ± 2.5 ◄       79.6
third    0.702 ± 0.200                –  78.0                  –
a|b <c>              –                –           –            –

The first is best on A; 2 * 2 seeds. No result is stored for fourth.
`
	got, err := testTable().Text(0)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
}

// In a narrow table blocks repeat the names, and long texts go on below.
func TestNarrowText(t *testing.T) {
	table := testTable()
	table.Title, table.Rows[1][0] = "A title that is longer than a line", Text("the second of all the models")
	want := `A title that is longer
than a line

model        test data A
-------  ---------------
first    0.641 ± 0.032 ◄
the        0.668 ± 0.011`
	got, err := table.Text(26)
	if err != nil || !strings.HasPrefix(got, want[:40]) {
		t.Errorf("%v\n%s", err, got)
	}
	if n := strings.Count(got, "the\n"); n == 0 && strings.Count(got, "second") != 2 {
		t.Errorf("the long name is not in both blocks:\n%s", got)
	}
}

// No line is wider than asked, nothing is lost, and bad input is an error, whatever the table.
func TestTextFits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := []string{"PENG-CDE", "Original", "as published", "ridge,", "地域の名前",
		"Aberdeen-and-a-very-long-single-word", "2"}
	for i := range 300 {
		table := &Table{Title: strings.Repeat("title ", random.IntN(20)), Finding: strings.Repeat("find ", random.IntN(40))}
		var tokens []string // of titles and cells, which must be there, and are too short to be broken
		token := func() string {
			tokens = append(tokens, fmt.Sprintf("x%d", 100+len(tokens)))
			return tokens[len(tokens)-1] + " "
		}
		for range 1 + random.IntN(9) {
			table.Columns = append(table.Columns, Column{Title: token() + words[random.IntN(len(words))],
				Better: []Direction{NotCompared, Lower, Higher}[random.IntN(3)]})
		}
		for range random.IntN(6) {
			row := []Cell{Text(token() + words[random.IntN(len(words))])}
			for range len(table.Columns) - 1 {
				row = append(row, []Cell{Missing(), Number(1e9 * random.NormFloat64()), Text("missing, 3 of 3"),
					Estimate(random.Float64(), 0.1).Published(Estimate(4, 0.1)), Estimate(-5, 1e7), {}}[random.IntN(6)])
			}
			table.Rows = append(table.Rows, row)
		}
		columns := leastRow + random.IntN(90)
		text, err := table.Text(columns)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if plain.Columns(line) > columns || strings.TrimRight(line, " ") != line {
				t.Fatalf("table %d: line %q takes %d of %d columns", i, line, plain.Columns(line), columns)
			}
		}
		for _, token := range tokens {
			if !strings.Contains(text, token) {
				t.Fatalf("table %d has lost %q in %d columns:\n%s", i, token, columns, text)
			}
		}
	}
	for _, width := range []int{-1, 1, leastRow - 1} {
		_, err := testTable().Text(width)
		_, err2 := NoteList{"a"}.Text(width)
		if !errors.Is(err, ErrInput) || !errors.Is(err2, ErrInput) {
			t.Errorf("width %d: %v, %v", width, err, err2)
		}
	}
	if _, err := (&Table{}).Text(0); !errors.Is(err, ErrInput) {
		t.Errorf("no columns: %v", err)
	}
}

// Rows of a benchmark differ in model and size together: blocks repeat both.
func TestTextRepeatsWhatTellsRowsApart(t *testing.T) {
	table := &Table{Columns: []Column{{Title: "model"}, {Title: "nodes"}}}
	for range 12 {
		table.Columns = append(table.Columns, Column{Title: "seconds"})
	}
	for i := range 4 {
		row := []Cell{Text([]string{"A", "B"}[i%2]), Number(float64(100 + i/2))}
		for k := range 12 {
			row = append(row, Number(float64(k)))
		}
		table.Rows = append(table.Rows, row)
	}
	text, err := table.Text(60)
	if err != nil || strings.Count(text, "\nB        101") != 3 {
		t.Errorf("%v, want the row of B with 101 nodes in three blocks:\n%s", err, text)
	}
}

func TestNotes(t *testing.T) {
	mustFigure := mustLines(t, Axes{})
	notes := Notes(testTable(), mustFigure, NoteList{"Three seeds & test data.", "of <all> *", ""}, &Table{})
	if len(notes) != 3 || notes[0] != "Three seeds & test data." || notes[1] != "of <all> *" ||
		!strings.HasPrefix(notes[2], "±: 95% interval; bold") {
		t.Errorf("notes %q", notes)
	}
	page, err := notes.HTML()
	if err != nil || !strings.HasPrefix(page, "<details") || !strings.Contains(page, "<li>of &lt;all&gt; *</li>") {
		t.Errorf("%v: %s", err, page)
	}
	texts(t, []byte(page))
	text, err := notes.Markdown()
	if err != nil || !strings.Contains(text, "\n- of &lt;all> \\*\n") {
		t.Errorf("%v: %s", err, text)
	}
	for _, write := range []func() (string, error){NoteList{}.HTML, NoteList{}.Markdown,
		func() (string, error) { return NoteList{}.Text(0) }} {
		if text, err := write(); text != "" || err != nil {
			t.Errorf("no notes: %q, %v", text, err)
		}
	}
}
