package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/owntables"
)

// The commands of docs/own-data.md on tables of invented data end in forecasts with intervals, and a stranger's
// mistakes in a line that says what to type.
func TestOwnTables(t *testing.T) {
	folder := t.TempDir()
	if err := owntables.Write(folder, 0); err != nil {
		t.Fatal(err)
	}
	small := []string{"--hidden", "2", "--epochs", "1", "--lags", "3", "--backend", "go"}
	cases := []string{"fit", "--edges", "commuters.csv", "--nodes", "cases.csv", "--target", "cases", "--weight",
		"commuters", "--category", "kind", "--scale", "log1p"}
	bank := []string{"fit", "--edges", "transfers.csv", "--nodes", "accounts.csv", "--target", "spent", "--source",
		"payer", "--destination", "payee", "--node", "account", "--step", "1w", "--scale", "log1p",
		"--edge-feature", "amount", "--presence", "rows"}
	for name, args := range map[string][]string{"cases": cases, "spent": bank} {
		if name == "spent" {
			args = append(args, "--model", "constant") // the pure Go backend takes long for 27,000 edges
		}
		output(t, folder, slices.Concat(args, small)...)
		file, err := os.Open(filepath.Join(folder, name+"-forecast", "forecasts.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(file).ReadAll()
		file.Close()
		const open = 270 // at the end
		if want := map[string]int{"cases": owntables.Regions, "spent": open}[name]; err != nil ||
			len(rows) != 1+want || !strings.Contains(strings.Join(rows[0], ","), "95%") {
			t.Errorf("%s: %d rows under %q, %v", name, len(rows), rows[0], err)
		}
	}
	change(t, folder, "cases.csv", "twice.csv", "2025-03-04,Aldbury", "2025-03-04,Aldbury,urban,1\n2025-03-04,Aldbury")
	transfers, err := os.ReadFile(filepath.Join(folder, "transfers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	first := strings.SplitN(string(transfers), "\n", 3)[1]
	change(t, folder, "transfers.csv", "gaps.csv", first, first[:strings.LastIndex(first, ",")+1])
	for _, c := range []struct {
		args []string
		says string
	}{
		{slices.Concat(cases, []string{"--weight", "people"}), `another --weight`},
		{slices.Concat(bank, []string{"--source", "sender"}), `another --source`},
		{slices.Concat(cases, []string{"--nodes", "twice.csv"}), `--duplicate mean, sum or last`},
		{slices.Concat(bank, []string{"--edges", "gaps.csv"}), `--empty-weight drop or zero`},
	} {
		said, err := command(folder, slices.Concat(c.args, small)...).CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) || strings.Count(string(said), "\n") != 1 {
			t.Errorf("%v, want a line that says %s:\n%s", err, c.says, said)
		}
	}
}
