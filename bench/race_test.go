package bench

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
)

// A race without the peer has epochs, forecasts, steps and a plan.
func TestRaceAlone(t *testing.T) {
	s := Setting{Field: "original", Nodes: 9, Seed: 1}
	row, err := Race{Pairs: 2}.Run(t.Context(), xlatest.Go(t), s)
	if err != nil {
		t.Fatal(err)
	}
	if row.Model != s.Field || row.N != 9 || row.Pairs != 2 || row.Versions["backend"] == "" || row.Peer != 0 {
		t.Errorf("row %+v", row)
	}
	if row.Ours <= 0 || row.OursInference <= 0 || row.Accepted < batchSize || row.Evaluations < 6*row.Accepted {
		t.Errorf("row %+v", row)
	}
	if row.PlannedBytes <= 0 || (row.BaseBytes > 0) != (resident.Now() > 0) ||
		(row.OursBytes > 0) != (resident.Peak() > 0) {
		t.Errorf("planned %+v", row)
	}
	c := caseOf(t, s)
	if most := row.PlannedEvaluations; most%batchSize != 0 || (most/batchSize-2)%6 != 0 || most < row.Accepted*6 {
		t.Errorf("planned %d evaluations for %d series, want 2 and 6 a step of each", most, len(c.windows))
	}
	if _, err := (Race{}).Run(t.Context(), xlatest.Go(t), s); !errors.Is(err, pengcde.ErrInput) {
		t.Errorf("no pairs: %v", err)
	}
}

// A race with the peer also has the peer's turns.
func TestRace(t *testing.T) {
	needPeer(t)
	row, err := Race{Pairs: 2, PeerUpTo: 16, Variant: dense}.Run(t.Context(), xlatest.Go(t), Setting{Nodes: 16, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if row.Peer <= 0 || row.Ratio.Low <= 0 || row.PeerInference <= 0 || row.PeerCompile <= 0 || row.PeerBytes <= 0 ||
		row.Versions["diffrax"] == "" || row.Versions["go"] == "" {
		t.Errorf("row %+v", row)
	}
	row, err = Race{Pairs: 1, PeerUpTo: 16, Variant: dense, MemoryGiB: 0.5}.Run(t.Context(), xlatest.Go(t),
		Setting{Nodes: 16, Seed: 1})
	if err != nil || !row.OutOfMemory || row.Ours <= 0 || row.Peer != 0 {
		t.Errorf("half a GiB: %+v, %v", row, err)
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
	f.Put(Row{Model: "peng", N: 256, Ours: 2, OutOfMemory: true,
		PlannedBytes: 5, BaseBytes: 6, PlannedEvaluations: 7})
	f.Put(Row{Model: "peng", N: 128, Ours: 3, Peer: 9, Ratio: spreadOf([]float64{4, 2, 3})})
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
	want := File{Rows: []Row{{Model: "peng", N: 128, Ours: 3, Peer: 9, Ratio: spread{3, 2, 4}}, {Model: "peng", N: 256,
		Ours: 2, OutOfMemory: true, PlannedBytes: 5, BaseBytes: 6, PlannedEvaluations: 7}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Row{})); diff != "" {
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
