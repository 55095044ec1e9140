package bench

import (
	_ "embed" // for latest.json
	"encoding/json"
	"fmt"
)

//go:embed latest.json
var latest []byte

// Latest returns the rows that come with the module, which "make bench" writes.
func Latest() (f File, err error) {
	if err = json.Unmarshal(latest, &f); err != nil {
		err = fmt.Errorf("bench: rows of latest.json: %w", err)
	}
	return f, err
}

// EpochSeconds returns the seconds of the library's training epochs, all series in one step, by model and number of
// nodes, and the machine that measured them. If there are several machines, it uses the first row's.
func (f File) EpochSeconds() (seconds map[string]map[int]float64, machine string) {
	seconds = make(map[string]map[int]float64)
	for _, r := range f.Rows {
		if machine == "" {
			machine = r.Machine
		}
		if r.Machine != machine || r.Batch != 0 {
			continue
		}
		if seconds[r.Model] == nil {
			seconds[r.Model] = make(map[int]float64)
		}
		if _, twice := seconds[r.Model][r.nodes()]; !twice { // the library does the same work against each peer
			seconds[r.Model][r.nodes()] = r.Ours
		}
	}
	return seconds, machine
}
