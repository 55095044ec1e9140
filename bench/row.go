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

// Row is one race. What it says of the peer is 0 where that took no part.
type Row struct {
	Model   string  `json:"model"`
	Variant Variant `json:"peer_variant"`
	// N is the number of nodes asked for; the grid has the next square number.
	N     int `json:"n"`
	Pairs int `json:"pairs"`
	// Batch is the number of series in an optimiser step where it is not all 4; an epoch then has several steps.
	Batch int `json:"batch,omitempty"`
	// Ours and Peer are seconds of an epoch, forward, gradient and update for all 4 series: medians over so many turns.
	Ours  float64 `json:"ours_s"`
	Peer  float64 `json:"peer_s,omitempty"`
	Ratio Spread  `json:"ratio,omitzero"`
	// Inference is forward alone, in seconds, of one turn: ours from the series to the forecasts, the peer's from its arrays.
	OursInference float64 `json:"ours_inference_s"`
	PeerInference float64 `json:"peer_inference_s,omitempty"`
	// Compile is the time that compiling an epoch takes, in seconds.
	OursCompile float64 `json:"ours_compile_s"`
	PeerCompile float64 `json:"peer_compile_s,omitempty"`
	// Bytes are the largest resident memory in the races; for the peer that of its start too.
	OursBytes int64 `json:"ours_bytes"`
	PeerBytes int64 `json:"peer_bytes,omitempty"`
	Planned
	// Accepted and Rejected steps of the library and its evaluations forward, in all samples; the peer takes the accepted ones.
	Accepted    int `json:"accepted"`
	Rejected    int `json:"rejected"`
	Evaluations int `json:"evaluations"`
	// OutOfMemory says that the peer ran out of the GiB that it may take; 0 is no limit.
	OutOfMemory bool    `json:"peer_out_of_memory,omitempty"`
	PeerGiB     float64 `json:"peer_gib,omitempty"`
	// Machine is the processor and its cores, Commit that of the checkout; Versions has the backend too.
	Machine  string            `json:"machine"`
	Commit   string            `json:"commit"`
	Versions map[string]string `json:"versions"`
}

// Spread is a median over pairs with the least and the largest.
type Spread struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

func spread(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return Spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// String is a line that tells of the race while others are run; [File.Table] shows all of it.
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

// File is what is kept of races, and of seeds that train together.
type File struct {
	Rows     []Row      `json:"rows"`
	Together []Together `json:"together,omitempty"`
}

// ReadFile reads a file of rows; one that is not there has none.
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

// Update changes a file of rows; the empty path is none.
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

// Put adds a row in the place of an older one of the same model, size, variant and batch on the same machine and backend.
func (f *File) Put(r Row) {
	same := func(other Row) bool {
		return other.Model == r.Model && other.N == r.N && other.Variant == r.Variant && other.Batch == r.Batch && other.place() == r.place()
	}
	if at := slices.IndexFunc(f.Rows, same); at >= 0 {
		f.Rows[at] = r
		return
	}
	f.Rows = append(f.Rows, r)
}
