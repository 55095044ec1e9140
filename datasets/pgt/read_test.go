package pgt_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Three regions, five days; day 1 lists 0 -> 1 twice, and nobody moved on day 2.
const small = `{"edge_mapping": {
	"edge_index": {"0": [[0, 1], [2, 2]], "1": [[0, 1], [1, 0], [0, 1]], "2": [], "3": [[2, 0]], "4": [[1, 1]]},
	"edge_weight": {"0": [5, 7.5], "1": [1, 2, 3], "2": [], "3": [4], "4": [6]}},
	"time_periods": 5,
	"y": [[1, 0, 10], [3, 0, 20], [5, 0, 30], [7, 0, 50], [9, 0, 90]]}`

func TestRead(t *testing.T) {
	s, err := pgt.Read(strings.NewReader(small), pgt.Lag(2))
	if err != nil {
		t.Fatal(err)
	}
	// Snapshots are days 0 to 2, so 2 -> 0 of day 3 is not on the pattern.
	if !slices.Equal(s.Pattern.From, []int32{0, 1, 2}) || !slices.Equal(s.Pattern.To, []int32{1, 0, 2}) {
		t.Errorf("pattern %v -> %v", s.Pattern.From, s.Pattern.To)
	}
	for i, want := range [][]float64{{5, 0, 7.5}, {4, 2, 0}, {0, 0, 0}} {
		if !slices.Equal(s.Weights[i], want) {
			t.Errorf("weights of snapshot %d: %v, want %v", i, s.Weights[i], want)
		}
	}
	if !slices.Equal(s.Times, []float64{0, 1, 2}) {
		t.Errorf("times %v", s.Times)
	}
	features, err := s.Scales[1].Restore(s.Features[1])
	if err != nil {
		t.Fatal(err)
	}
	targets, err := s.Scales[1].Restore(s.Targets[1])
	if err != nil {
		t.Fatal(err)
	}
	close := func(got, want []float64) bool {
		return slices.EqualFunc(got, want, func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	}
	if !close(features, []float64{3, 5, 0, 0, 20, 30}) || !close(targets, []float64{7, 0, 50}) {
		t.Errorf("snapshot 1 shows %v and asks for %v", features, targets)
	}
}

// Names and dates of a file become the series', and so its windows'; the date of a snapshot is its first day's.
func TestNamesAndDates(t *testing.T) {
	s, err := pgt.Load("testdata/named.json", pgt.Lag(2))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"nord", "val_d'oise", "côtes_d’armor"}; !slices.Equal(s.NodeNames, want) {
		t.Errorf("names %q, want %q", s.NodeNames, want)
	}
	var dates []string
	for _, date := range s.Dates {
		dates = append(dates, date.Format(time.RFC3339))
	}
	if want := []string{"2020-02-27T00:00:00Z", "2020-02-28T00:00:00Z", "2020-02-29T00:00:00Z"}; !slices.Equal(dates,
		want) {
		t.Errorf("dates %q, want %q", dates, want)
	}
	w, err := s.Latest(2)
	if err != nil {
		t.Fatal(err)
	}
	if first := w.Series.Dates[w.Start]; first.Day() != 28 || w.Series.NodeNames[1] != "val_d'oise" {
		t.Errorf("the latest window begins on %v, with node 1 %q", first, w.Series.NodeNames[1])
	}
	plain, err := pgt.Read(strings.NewReader(small), pgt.Lag(2))
	if err != nil || plain.NodeNames != nil || plain.Dates != nil {
		t.Errorf("without: names %q, dates %v (%v)", plain.NodeNames, plain.Dates, err)
	}
}

func TestNamesAndDatesErrors(t *testing.T) {
	content, err := os.ReadFile("testdata/named.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, says string }{
		{"name too few", `"nord", `, "", "names of 2 nodes, y has 3"},
		{"name too many", `"nord", `, `"nord", "sud", `, "names of 4 nodes, y has 3"},
		{"no names", `["nord", "val_d'oise", "côtes_d’armor"]`, "[]", "names of 0 nodes"},
		{"null name", `"nord"`, "null", `node 0 has the name ""`},
		{"empty name", `"nord"`, `" "`, `node 0 has the name " "`},
		{"name twice", `"nord"`, `"val_d'oise"`, `nodes 0 and 1 have the same name "val_d'oise"`},
		{"number as name", `"nord"`, "7", "number"},
		{"date too few", `"2020-02-27", `, "", "dates of 4 days, y has 5"},
		{"no dates", `"2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01", "2020-03-02"`, "", "dates of 0 days"},
		{"null date", `"2020-02-28"`, "null", "date of day 1 is null"},
		{"no such date", `"2020-02-29"`, `"2020-02-30"`,
			`date of day 2 is "2020-02-30", want one such as "2006-01-02"`},
		{"another form", `"2020-02-29"`, `"29/02/2020"`, "date of day 2"},
		{"date twice", `"2020-02-29"`, `"2020-02-28"`,
			"date of day 2 is 2020-02-28 after 2020-02-28, want the next day"},
		{"a day between", `"2020-02-27"`, `"2020-02-26"`, "date of day 1 is 2020-02-28 after 2020-02-26"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(string(content), c.old) {
				t.Fatalf("no %q to change", c.old)
			}
			_, err := pgt.Read(strings.NewReader(strings.Replace(string(content), c.old, c.new, 1)), pgt.Lag(2))
			if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want ErrInvalid saying %q", err, c.says)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	if _, err := z.Write([]byte(small)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"flows.json": []byte(small), "flows.json.gz": compressed.Bytes()} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := pgt.Load(path, pgt.Lag(2))
		if err != nil || s.Name != "flows" || len(s.Times) != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pgt.Load(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v, want fs.ErrNotExist", err)
	}
	if _, err := pgt.Read(bytes.NewReader(compressed.Bytes()[:compressed.Len()/2])); !errors.Is(err,
		dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("half a compressed file: error %v", err)
	}
}

func TestReadErrors(t *testing.T) {
	change := func(oldNew ...string) string {
		changed := small
		for k := 0; k < len(oldNew); k += 2 {
			if !strings.Contains(changed, oldNew[k]) {
				t.Fatalf("no %q to change", oldNew[k])
			}
			changed = strings.Replace(changed, oldNew[k], oldNew[k+1], 1)
		}
		return changed
	}
	for _, c := range []struct{ name, content, says string }{
		{"empty", "", "cut short"},
		{"cut in half", small[:len(small)/2], "cut short"},
		{"NaN cases", change("30]", "NaN]"), `0, N": the file is cut short, or holds NaN`},
		{"missing value", change("30]", "null]"), "y of day 2, node 2 is null"},
		{"missing node", change("[5, 0, 30]", "[5, 0]"), "y of day 2 has 2 nodes, y of day 0 has 3"},
		{"missing day of cases", change("[5, 0, 30], ", ""), "time_periods is 5 but y has 4 days"},
		{"one day", `{"time_periods": 1, "y": [[1, 2]]}`, "1 days and a lag of 2 leave no day to forecast"},
		{"no edges", change(`[[0, 1], [2, 2]], "1": [[0, 1], [1, 0], [0, 1]]`, `[], "1": []`,
			`[5, 7.5], "1": [1, 2, 3]`, `[], "1": []`), "no edge on any of days 0 to 2"},
		{"no cases", `{"time_periods": 0}`, "no days or no nodes"},
		{"text for a number", change("30]", `"30"]`), "string"},
		{"missing day of edges", change(`"3": [[2, 0]], `, ""), "day 3 is missing"},
		{"missing day of weights", change(`"3": [4], `, ""), "day 3 is missing"},
		{"day too many", change(`"4": [6]`, `"4": [6], "5": []`), "edge_weight of 6"},
		{"edge beyond nodes", change("[1, 0], ", "[1, 3], "), "edge 1 of day 1 joins 1 -> 3, want nodes in 0..2"},
		{"negative node", change("[1, 0], ", "[-1, 0], "), "edge 1 of day 1 joins -1 -> 0"},
		{"half an edge", change("[1, 0], ", "[1], "), "edge 1 of day 1 is not a pair"},
		{"null edge", change("[1, 0], ", "[1, null], "), "edge 1 of day 1 is not a pair"},
		{"fraction as node", change("[1, 0], ", "[1, 0.5], "), "0.5"},
		{"weight too few", change("[1, 2, 3]", "[1, 2]"), "day 1 has 3 edges and 2 weights"},
		{"NaN weight", change("[1, 2, 3]", "[1, NaN, 3]"), "holds NaN"},
		{"null weight", change("[1, 2, 3]", "[1, null, 3]"), "weight of edge 1 (1 -> 0) of day 1"},
		{"negative weight", change("[1, 2, 3]", "[1, -2, 3]"), "weight of edge 1 (1 -> 0) of day 1"},
		{"infinite weight", change("[1, 2, 3]", "[1, 1e999, 3]"), "1e999"},
		{"sum of weights overflows", change("[1, 2, 3]", "[1.7e308, 2, 1.7e308]"),
			"snapshot 1: weight of edge 0 -> 1 is +Inf"},
		{"trailing data", small + "{}", "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := pgt.Read(strings.NewReader(c.content), pgt.Lag(2))
			if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want ErrInvalid saying %q", err, c.says)
			}
		})
	}
}

func TestOptionErrors(t *testing.T) {
	for name, options := range map[string][]pgt.Option{
		"lag 0":           {pgt.Lag(0)},
		"lag of all days": {pgt.Lag(5)},
		"no past":         {pgt.Lag(1), pgt.Standardise(pgt.PastOnly)},
		"unknown":         {pgt.Lag(2), pgt.Standardise("now")},
	} {
		if _, err := pgt.Read(strings.NewReader(small), options...); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}

func ExampleEnglandCovid() {
	series, err := pgt.EnglandCovid()
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := series.Windows(5, 5).Split(0.6, 0.2, 1)
	fmt.Println(series.Nodes(), "regions,", len(series.Times), "snapshots,", series.Pattern.Edges(), "edges")
	fmt.Println(len(split.Train), "windows for training,", len(split.Validation), "for validation,", len(split.Test),
		"for testing,", err)
	// Output:
	// 129 regions, 53 snapshots, 2346 edges
	// 6 windows for training, 2 for validation, 2 for testing, <nil>
}

func ExampleItalyCovid() {
	series, err := pgt.ItalyCovid()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(series.Nodes(), "regions,", len(series.Times), "snapshots,", series.Pattern.Edges(), "edges")
	fmt.Println(series.NodeNames[:3], "from", series.Dates[0].Format(time.DateOnly))
	// Output:
	// 105 regions, 71 snapshots, 864 edges
	// [agrigento alessandria ancona] from 2020-02-24
}

func ExampleFranceCovid() {
	series, err := pgt.FranceCovid()
	if err != nil {
		fmt.Println(err)
		return
	}
	linked := make(map[string]bool)
	for e, from := range series.Pattern.From {
		linked[series.NodeNames[from]], linked[series.NodeNames[series.Pattern.To[e]]] = true, true
	}
	fmt.Println(series.Nodes(), "regions,", series.Nodes()-len(linked), "of them without an edge, such as",
		series.NodeNames[4], linked[series.NodeNames[4]])
	// Output:
	// 94 regions, 13 of them without an edge, such as hautes_alpes false
}

func ExampleRead() {
	file := strings.NewReader(`{"time_periods": 3, "y": [[4, 0], [6, 0], [5, 2]], "edge_mapping": {
		"edge_index": {"0": [[0, 1]], "1": [[0, 1]], "2": []}, "edge_weight": {"0": [20], "1": [30], "2": []}}}`)
	series, err := pgt.Read(file, pgt.Lag(2), pgt.Standardise(pgt.PastOnly), pgt.Name("two towns"))
	if err != nil {
		fmt.Println(err)
		return
	}
	cases, err := series.Scales[0].Restore(series.Targets[0])
	fmt.Println(series.Name, series.Weights[0], cases, err)
	// Output:
	// two towns [20] [5 2] <nil>
}

func ExampleLoad() {
	_, err := pgt.Load("no/such/file.json")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// true
}
