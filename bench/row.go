package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/peng-cde/pengcde-go/pengcde"
)

// Row is one race. Seconds are medians of the turns; those of the peer are 0 where it took no part.
type Row struct {
	Model   pengcde.Kind `json:"model"`
	Variant Variant      `json:"peer_variant"`
	N       int          `json:"n"`
	Pairs   int          `json:"pairs"`
	// An epoch is forward, gradient and update for the batch of 4.
	Ours  float64 `json:"ours_s"`
	Peer  float64 `json:"peer_s,omitempty"`
	Ratio Spread  `json:"ratio,omitzero"`
	// Inference is forward alone, from the series to the forecasts.
	OursInference float64 `json:"ours_inference_s"`
	PeerInference float64 `json:"peer_inference_s,omitempty"`
	// Compiling is that of an epoch.
	OursCompile float64 `json:"ours_compile_s"`
	PeerCompile float64 `json:"peer_compile_s,omitempty"`
	// Bytes are the largest resident memory in the races; for the peer that of its start too.
	OursBytes int64 `json:"ours_bytes"`
	PeerBytes int64 `json:"peer_bytes,omitempty"`
	// Accepted and Rejected steps of the library and its evaluations forward, in all samples; the peer takes the accepted ones.
	Accepted    int `json:"accepted"`
	Rejected    int `json:"rejected"`
	Evaluations int `json:"evaluations"`
	// OutOfMemory says that the peer ran out of what it may take.
	OutOfMemory bool              `json:"peer_out_of_memory,omitempty"`
	Machine     string            `json:"machine"`
	Commit      string            `json:"commit"`
	Versions    map[string]string `json:"versions"`
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

// Header is the line above those of [Row.String].
const Header = "model     n        epoch, ours   peer      ratio (least to largest)   inference         compile          peak memory        steps"

// String is a line of a table.
func (r Row) String() string {
	line := fmt.Sprintf("%-9s %-8d %8.3f s", r.Model, r.N, r.Ours)
	ours := fmt.Sprintf("%7.3f s", r.OursInference)
	steps := fmt.Sprintf("%d+%d", r.Accepted, r.Rejected)
	const mega = 1 << 20
	switch {
	case r.OutOfMemory:
		return fmt.Sprintf("%s %10s %27s %s %9s %6.1f s %9s %6d MB %10s  %s", line, "no memory", "", ours, "", r.OursCompile, "", r.OursBytes/mega, "", steps)
	case r.Peer == 0:
		return fmt.Sprintf("%s %10s %27s %s %9s %6.1f s %9s %6d MB %10s  %s", line, "", "", ours, "", r.OursCompile, "", r.OursBytes/mega, "", steps)
	}
	return fmt.Sprintf("%s %8.3f s %8.1f (%.1f to %.1f) %11s %7.3f s %6.1f s %6.1f s %6d MB %6d MB  %s", line, r.Peer, r.Ratio.Median, r.Ratio.Low, r.Ratio.High,
		ours, r.PeerInference, r.OursCompile, r.PeerCompile, r.OursBytes/mega, r.PeerBytes/mega, steps)
}

// File is what is kept of races.
type File struct {
	Rows []Row `json:"rows"`
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

// Put adds a row in the place of an older one of the same model, size and variant.
func (f *File) Put(r Row) {
	same := func(other Row) bool { return other.Model == r.Model && other.N == r.N && other.Variant == r.Variant }
	if at := slices.IndexFunc(f.Rows, same); at >= 0 {
		f.Rows[at] = r
		return
	}
	f.Rows = append(f.Rows, r)
}
