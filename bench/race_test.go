package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/xla"
)

// The library answers epochs, then forecasts, and its epochs are alike; the case is there for the peer.
func TestServe(t *testing.T) {
	t.Setenv(xla.BackendEnv, "go")
	folder := t.TempDir()
	var out bytes.Buffer
	err := Serve(context.Background(), Setting{Field: "original", Nodes: 9, Seed: 1}, folder, strings.NewReader("epoch\nepoch\ninference\n"), &out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, documentFile)); err != nil {
		t.Error(err)
	}
	answers := json.NewDecoder(&out)
	var begun ready
	if err := answers.Decode(&begun); err != nil || begun.Versions["go"] == "" {
		t.Fatalf("first answer %v: %v", begun, err)
	}
	var turns [3]Turn
	planned := begun.Planned
	for i := range turns {
		if err := answers.Decode(&turns[i]); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		if turns[i].Seconds <= 0 || len(turns[i].Accepted) != batchSize || turns[i].Accepted[0] == 0 {
			t.Errorf("answer %d is %+v", i, turns[i])
		}
	}
	if planned.PlannedBytes <= 0 || (planned.BaseBytes > 0) != (resident.Now() > 0) {
		t.Errorf("planned %+v", planned)
	}
	if most, evaluations := len(turns[1].Accepted)*(2+6*slices.Max(turns[1].Accepted)), planned.PlannedEvaluations; evaluations != most {
		t.Errorf("planned %d evaluations, want those of accepted steps, %d", evaluations, most)
	}
	if turns[0].Loss != turns[1].Loss || turns[0].Loss <= 0 {
		t.Errorf("losses %g and %g of epochs that should repeat", turns[0].Loss, turns[1].Loss)
	}
	if answers.More() {
		t.Error("more answers than requests")
	}
	if err := Serve(context.Background(), Setting{Nodes: 9}, t.TempDir(), strings.NewReader("dance\n"), &out); err == nil {
		t.Error("an unknown request was taken")
	}
}

func TestRowsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.json")
	none, err := ReadFile(path)
	if err != nil || len(none.Rows) != 0 {
		t.Fatalf("a file that is not there: %v, %v", none, err)
	}
	var f File
	f.Put(Row{Model: "peng", N: 128, Ours: 1})
	f.Put(Row{Model: "peng", N: 256, Ours: 2, OutOfMemory: true, Planned: Planned{PlannedBytes: 5, BaseBytes: 6, PlannedEvaluations: 7}})
	f.Put(Row{Model: "peng", N: 128, Ours: 3, Peer: 9, Ratio: spread([]float64{4, 2, 3})})
	content, err := json.Marshal(f)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := File{Rows: []Row{{Model: "peng", N: 128, Ours: 3, Peer: 9, Ratio: Spread{3, 2, 4}}, {Model: "peng", N: 256, Ours: 2, OutOfMemory: true, Planned: Planned{PlannedBytes: 5, BaseBytes: 6, PlannedEvaluations: 7}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if count := strings.Count(string(content), "planned_bytes"); count != 1 {
		t.Errorf("%d rows with planned_bytes, want that which has a plan: %s", count, content)
	}
	if err := os.WriteFile(path, content[:10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil {
		t.Error("half a file was read")
	}
}
