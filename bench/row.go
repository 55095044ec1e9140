package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/durable"
)

// Row holds the result of one race. Numbers of the peer are 0 if it took no part.
type Row struct {
	Model   string `json:"model"`
	Variant string `json:"peer_variant"`
	Steps   string `json:"peer_steps,omitempty"` // "default" if the peer takes its own steps, else ""
	N       int    `json:"n"`                    // requested nodes; the grid has the next square number
	Pairs   int    `json:"pairs"`
	Batch   int    `json:"batch,omitempty"` // series in an optimiser step if not all 4: an epoch then has several
	// Ours and Peer are the seconds per epoch of forward, gradient and update for all 4 series: medians over Pairs
	// turns.
	Ours  float64 `json:"ours_s"`
	Peer  float64 `json:"peer_s,omitempty"`
	Ratio spread  `json:"ratio,omitzero"`
	// OursInference and PeerInference are the seconds of one forward pass: ours from series to forecasts, the peer's
	// from arrays. OursCompile and PeerCompile are the seconds of compiling an epoch.
	OursInference float64 `json:"ours_inference_s"`
	PeerInference float64 `json:"peer_inference_s,omitempty"`
	OursCompile   float64 `json:"ours_compile_s"`
	PeerCompile   float64 `json:"peer_compile_s,omitempty"`
	// OursBytes and PeerBytes are the largest resident memory in the races; for the peer also while it starts.
	OursBytes int64 `json:"ours_bytes"`
	PeerBytes int64 `json:"peer_bytes,omitempty"`
	// PlannedBytes is the plan of [pengcde.Model.Plan] before the training, on device and host, 0 if nothing was
	// planned. BaseBytes is the resident memory before anything is compiled. Compare PlannedBytes with OursBytes
	// minus BaseBytes, which also includes the compiler, its output, and memory that Go has not collected yet.
	PlannedBytes int64 `json:"planned_bytes,omitempty"`
	BaseBytes    int64 `json:"base_bytes,omitempty"`
	// PlannedEvaluations counts forward evaluations as if all samples accepted as many steps as the sample with the
	// most. Accepted and Rejected count the library's steps, and Evaluations its forward evaluations, over all
	// samples.
	PlannedEvaluations int `json:"planned_evaluations,omitempty"`
	Accepted           int `json:"accepted"`
	Rejected           int `json:"rejected"`
	Evaluations        int `json:"evaluations"`
	// PeerAccepted and PeerRejected count the peer's steps.
	PeerAccepted int `json:"peer_accepted,omitempty"`
	PeerRejected int `json:"peer_rejected,omitempty"`
	// OutOfMemory reports that the peer exceeded its limit of PeerGiB; a PeerGiB of 0 means no limit.
	OutOfMemory bool    `json:"peer_out_of_memory,omitempty"`
	PeerGiB     float64 `json:"peer_gib,omitempty"`
	origin
}

// spread is a median with the smallest and the largest value.
type spread struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// String returns a line that describes the race while others run; [File.Table] shows all fields.
func (r Row) String() string {
	line := fmt.Sprintf("%s, %d nodes: %.3g s an epoch", r.Model, r.nodes(), r.Ours)
	switch {
	case r.OutOfMemory:
		line += ", the peer ran out of memory"
	case r.Peer > 0:
		line += fmt.Sprintf(", the peer %.3g s", r.Peer)
	}
	return line
}

// File holds the rows of races, and of seeds that train together.
type File struct {
	Rows     []Row      `json:"rows"`
	Together []Together `json:"together,omitempty"`
}

// ReadFile reads a file of rows; a file that does not exist gives no rows.
func ReadFile(path string) (f File, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &f)
	}
	if err != nil {
		return f, fmt.Errorf("bench: rows of %s: %w", path, err)
	}
	return f, nil
}

// Update changes a file of rows; the empty path means no file.
func Update(path string, change func(*File)) error {
	if path == "" {
		return nil
	}
	f, err := ReadFile(path)
	if err != nil {
		return err
	}
	change(&f)
	content, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return fmt.Errorf("bench: rows of %s: %w", path, err)
	}
	return durable.WriteFile(path, append(content, '\n'))
}

// Put adds a row, and replaces a row of the same model, grid, variant, steps and batch on the same machine and
// backend.
func (f *File) Put(r Row) {
	f.Rows = put(f.Rows, r, func(r Row) any {
		return [...]any{r.Model, r.nodes(), r.Variant, r.Steps, r.Batch, r.machine()}
	})
}

// put adds an entry, and replaces an entry with the same key.
func put[T any](list []T, entry T, key func(T) any) []T {
	if at := slices.IndexFunc(list, func(other T) bool { return key(other) == key(entry) }); at >= 0 {
		list[at] = entry
		return list
	}
	return append(list, entry)
}
