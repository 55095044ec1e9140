package experiments

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"
)

// Runs are grouped by program in the order of the plan, without copying all runs for each program.
func TestPrograms(t *testing.T) {
	const models, seeds = 1000, 2
	w := &runner{options: Options{SeedsTogether: true}}
	for seed := range uint64(seeds) {
		for model := range models {
			w.missing = append(w.missing, Result{Run: Run{Model: Row{ID: fmt.Sprint(model)}, Seed: seed}})
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all := w.programs()
	runtime.ReadMemStats(&after)
	if len(all) != models {
		t.Fatalf("%d programs, want %d", len(all), models)
	}
	for i, runs := range all {
		if len(runs) != seeds || runs[0].Model.ID != fmt.Sprint(i) || runs[0].Seed != 0 || runs[1].Seed != 1 {
			t.Errorf("program %d has the runs %v", i, runs)
		}
	}
	bytes, most := after.TotalAlloc-before.TotalAlloc, uint64(20*models*seeds)*uint64(unsafe.Sizeof(Result{}))
	if bytes > most {
		t.Errorf("takes %d bytes, want at most %d", bytes, most)
	}
}
