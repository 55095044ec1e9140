package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments/export"
)

// The record of a row comes from stored runs on files in TGB's layout; the error for missing ones names the command
// that makes them.
func TestLeaderboard(t *testing.T) {
	results, data := t.TempDir(), t.TempDir()
	var edges, labels strings.Builder
	for year := range 30 {
		for u := range 4 {
			line := fmt.Sprintf("%d,%c,%c,%d\n", 1990+year, 'a'+u, 'a'+(u+year)%4, 1+u)
			edges.WriteString(line)
			labels.WriteString(line)
		}
	}
	head := "year,nation,trading nation,weight\n"
	for name, text := range map[string]string{"edgelist": edges.String(), "node_labels": labels.String()} {
		file := filepath.Join(data, "tgbn-trade_"+name+".csv")
		if err := os.WriteFile(file, []byte(head+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(results, "record.json")
	record := []string{"results", "leaderboard", "persistent", "--profile", "quick", "--data", data, "--out", out}
	code, _, said := in(t, results, results, record...)
	_, made, found := strings.Cut(said, `: "pengcde `)
	if code == 0 || !found {
		t.Fatalf("code %d, says %q, want a command", code, said)
	}
	made, _, _ = strings.Cut(strings.ReplaceAll(made, "'", ""), `"`)
	output(t, results, strings.Fields(made)...)
	output(t, results, record...)
	content, err := os.ReadFile(out)
	var l export.Leaderboard
	if err == nil {
		err = json.Unmarshal(content, &l)
	}
	if err != nil || l.Dataset != "tgbn-trade" || l.Model != "persistent" || len(l.Runs) != 1 || l.Runs[0].Seed != 0 ||
		!(l.Test.Mean > 0) {
		t.Errorf("%+v, %v", l, err)
	}
	if code, _, said := in(t, results, results, "results", "leaderboard", "tgn", "--seeds", "0-2"); code != exitUsage ||
		!strings.Contains(said, "want 5 or more") {
		t.Errorf("three seeds: code %d, %q", code, said)
	}
}
