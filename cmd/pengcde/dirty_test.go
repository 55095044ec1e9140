package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestWithFlags(t *testing.T) {
	for text, want := range map[string]string{
		`want a column with this name, or another Nodes.Targets`:  `want a column with this name, or another --target`,
		`or Edges.Time "-" for a graph`:                           `or --edges-time - for a graph`,
		`Nodes.Aggregate "mean", "sum" or "last" to combine`:      `--duplicate mean, sum or last to combine`,
		`columns taken: Edges.From "a b", Edges.Time "Day"`:       `columns taken: --source "a b", --edges-time Day`,
		`Config.Separator ";"`:                                    `--separator ";"`,
		`Config.DateFormat "MM/DD/YYYY" or "DD.MM.YYYY hh:mm" to`: `--date-format MM/DD/YYYY or "DD.MM.YYYY hh:mm" to`,
		`found "my Edges.Time \" Edges.Time", want Config.Step`:   `found "my Edges.Time \" Edges.Time", want --step`,
		`or Edges.Signed and a model`:                             `or Edges.Signed (in a Go program) and a model`,
	} {
		if got := withFlags(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// change writes a copy of a file with some text replaced.
func change(t *testing.T, folder, from, to string, oldnew ...string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, from))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(oldnew...).Replace(string(content))
	if err := os.WriteFile(filepath.Join(folder, to), []byte(changed), 0o600); err != nil || changed == string(content) {
		t.Fatalf("%s: %v, or nothing to replace", from, err)
	}
}

// A stranger's mistakes end in one line that says what to type, and typing it works.
func TestMistakesOfStrangers(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	change(t, folder, "flows.csv", "empty.csv", "2024-01-02,Ayr,Bath,17\n",
		"2024-01-02,Ayr,Bath,\n2024-01-02,Bath,Ayr,NA\n")
	change(t, folder, "visits.csv", "twice.csv", "2024-01-03,Ayr,", "2024-01-03,Ayr,7,1\n2024-01-03,Ayr,")
	change(t, folder, "visits.csv", "losses.csv", "2024-01-03,Ayr,", "2024-01-03,Ayr,-")
	change(t, folder, "flows.csv", "american.csv", "2024-", "01/02/2024-")
	change(t, folder, "flows.csv", "two.csv", "people", "value,count", "\n", ",1\n")
	fit := func(edges, nodes string, more ...string) []string {
		return slices.Concat([]string{"fit", "--edges", edges, "--nodes", nodes, "--target", "visitors", "--node", "town",
			"--lags", "3", "--inputs", "3", "--hidden", "2", "--epochs", "1", "--backend", "go", "--out", "out"}, more)
	}
	for _, c := range []struct {
		name   string
		args   []string
		says   string
		typing []string
	}{
		{"wrong column", fit("flows.csv", "visits.csv", "--weight", "persons"),
			`flows.csv, line 1, column "persons": found the columns "day", "from", "to", "people", want a column with this ` +
				"name, or another --weight, or --weight - to count rows", []string{"--weight", "people"}},
		{"no such column", fit("flows.csv", "visits.csv"), `want a column "weight", "value", "amount" or "count", or the ` +
			"name of another as --weight", []string{"--weight", "people"}},
		{"two columns", fit("two.csv", "visits.csv"),
			`two.csv, line 1: found the columns "value", "count", want one of them as --weight`, nil},
		{"empty weight", fit("empty.csv", "visits.csv", "--weight", "people"),
			`empty.csv, line 6, column "people": found no value, in this and all together 2 of 161 rows, want numbers, or ` +
				"--empty-weight drop or zero (no edge, or weight 0)", []string{"--empty-weight", "drop"}},
		{"duplicates", fit("flows.csv", "twice.csv", "--weight", "people"),
			`found a second row for node "Ayr" at time "2024-01-03", want one, or --duplicate mean, sum or last to combine`,
			[]string{"--duplicate", "last"}},
		{"negative", fit("flows.csv", "losses.csv", "--weight", "people", "--scale", "log1p"),
			`losses.csv, line 10, column "visitors": found "-`, nil},
		{"negative, its flag", fit("flows.csv", "losses.csv", "--weight", "people", "--scale", "log1p"),
			"want 0 or more, as --scale log1p takes", nil},
		{"dates", fit("american.csv", "visits.csv", "--weight", "people"), "want a number or a date such as", nil},
		{"separator", fit("flows.csv", "visits.csv", "--weight", "people", "--separator", "x"), `--separator x, want`, nil},
	} {
		said, err := command(folder, c.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) || strings.Count(string(said), "\n") != 1 {
			t.Errorf("%s: %v, want a line that says %s:\n%s", c.name, err, c.says, said)
		}
		if c.typing != nil {
			output(t, folder, append(c.args, c.typing...)...)
		}
	}
}

// Files of a German spreadsheet are fitted without flags for them, and forecasts from them are written as Parquet.
func TestSpreadsheet(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	change(t, folder, "flows.csv", "edges.csv", ",", ";", "people", "count")
	change(t, folder, "visits.csv", "nodes.csv", ",", ";", "town", "Region", "\n", ",5\n", "rain\n", "rain\n")
	var stderr bytes.Buffer
	fit := command(folder, "fit", "--edges", "edges.csv", "--nodes", "nodes.csv", "--target", "visitors", "--feature",
		"rain", "--step", "2d", "--lags", "3", "--inputs", "3", "--hidden", "2", "--epochs", "1", "--backend", "go",
		"--out", "out")
	fit.Stderr = &stderr
	if err := fit.Run(); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	for _, says := range []string{
		"edges.csv: columns taken: --source from, --destination to, --edges-time day, --weight count",
		"nodes.csv: columns taken: --time day, --node Region",
		"76 rows are of a node that has another row in the same step of 2d: their values are averaged, unless --duplicate " +
			"sum or last combines them otherwise"} {
		if !strings.Contains(stderr.String(), says) {
			t.Errorf("fit does not say %q:\n%s", says, &stderr)
		}
	}
	args := []string{"forecast", "out", "--edges", "edges.csv", "--nodes", "nodes.csv", "--backend", "go", "--out"}
	output(t, folder, append(args, "new.parquet")...)
	type row struct {
		Node     string  `parquet:"node,optional"`
		Ahead    int64   `parquet:"ahead,optional"`
		Time     int64   `parquet:"time,optional,timestamp(millisecond)"`
		Forecast float64 `parquet:"PENG-CDE,optional"`
	}
	rows, err := parquet.ReadFile[row](filepath.Join(folder, "new.parquet"))
	if err != nil || len(rows) != 4 || rows[3].Node != "Deal" || rows[3].Ahead != 1 || rows[3].Time%86400000 != 0 ||
		rows[3].Time == 0 || rows[3].Forecast == 0 {
		t.Errorf("%v: %+v", err, rows)
	}
	said, err := command(folder, append(args, "new.txt")...).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "new.txt, want a name that ends in .csv or .parquet") {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := os.Stat(filepath.Join(folder, "new.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is written all the same: %v", err)
	}
	change(t, folder, "edges.csv", "new_edges.csv", "Ayr;Bath;1", "Ayr;Bath;\n2024-01-05;Ayr;Bath;1")
	args[3] = "new_edges.csv"
	said, err = command(folder, append(args, "new.csv")...).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "or --empty-weight drop or zero") {
		t.Errorf("%v: %s", err, said)
	}
	output(t, folder, append(args, "new.csv", "--empty-weight", "drop")...)
}
