package bench

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/figures"
)

// Races with a ratio are appended in order, and earlier lines do not change by a byte.
func TestAppendHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.csv")
	row := Row{Model: "peng", N: 128, Variant: dense, Pairs: 3, Ours: 0.1, Peer: 0.45, Ratio: spread{4.5, 4.25, 5}}
	row.Machine, row.Commit = "a machine, 2 cores", "abc"
	unfinished, alone, ownSteps := row, row, row
	unfinished.OutOfMemory, alone.Peer, ownSteps.Steps = true, 0, own
	first := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	before := ""
	for i, r := range []Row{row, unfinished, alone, ownSteps, row} {
		if err := AppendHistory(path, first.Add(time.Duration(i)*time.Hour), r); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(content), before) {
			t.Errorf("race %d changed the lines before it:\n%s", i, content)
		}
		before = string(content)
	}
	got, err := ReadHistory(path)
	want := Past{Time: first, Commit: "abc", Machine: "a machine, 2 cores", Model: "peng", Nodes: 144, Peer: dense,
		Pairs: 3, Ours: 0.1, PeerOwn: 0.45, Ratio: spread{4.5, 4.25, 5}}
	later := want
	later.Time = first.Add(4 * time.Hour)
	if err != nil || !slices.Equal(got, []Past{want, later}) {
		t.Errorf("history is %+v, %v; want %+v and %+v", got, err, want, later)
	}
}

// An invalid history file is refused with its row, and is not overwritten.
func TestReadHistoryRefuses(t *testing.T) {
	header := strings.Join(historyColumns, ",") + "\n"
	for content, want := range map[string]string{
		"time,commit\n": "columns",
		header + "2026-11-21T22:24:35Z,c,m,peng,144,dense,5,fast,2,1,1,1\n": "row 1",
		header + "yesterday,c,m,peng,144,dense,5,1,2,1,1,1\n":               "row 1",
	} {
		path := filepath.Join(t.TempDir(), "history.csv")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		err := AppendHistory(path, time.Now(), Row{Model: "peng", N: 144, Peer: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", content, err, want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != content {
			t.Errorf("%q became %q, %v", content, after, err)
		}
	}
}

// The committed history draws, and its last race of each model and size is the one in the file of rows.
func TestDrawHistory(t *testing.T) {
	history, err := ReadHistory("history.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DrawHistory(history); err != nil {
		t.Error(err)
	}
	if _, err := DrawHistory(nil); !errors.Is(err, figures.ErrInput) {
		t.Errorf("no races: error %v, want one that wraps figures.ErrInput", err)
	}
	for _, row := range latestRows(t).Rows {
		if row.Peer == 0 || row.OutOfMemory || row.Steps == own || row.Batch != 0 {
			continue
		}
		if !slices.ContainsFunc(history, func(p Past) bool {
			return p.Model == row.Model && p.Nodes == row.nodes() && p.Peer == row.Variant && p.Commit == row.Commit
		}) {
			t.Errorf("%s on %d nodes, %s peer, %s: not in history.csv", row.Model, row.nodes(), row.Variant, row.Commit)
		}
	}
}
