package experiments

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// Standing counts what is stored of the runs that were asked for but is not simply used.
type Standing struct {
	// Backend is the kind that would compute; "" where none can be told.
	Backend string
	// Stale is the number of runs of which only another [Generation] is stored. They are not shown.
	Stale int
	// Elsewhere is the number of runs that are shown but that another backend made, by its kind.
	Elsewhere map[string]int `json:",omitempty"`
	// Former is the number of files from before generations were recorded, which are not read.
	Former int `json:",omitempty"`

	folder string
}

// standing is that of an experiment before its runs are counted.
func (o Options) standing(experiment string) (Standing, error) {
	folder, err := Folder()
	return Standing{Backend: o.kind(), Elsewhere: make(map[string]int), Former: formerResults(folder, experiment),
		folder: filepath.Join(folder, experiment)}, err
}

// elsewhere marks a row with runs of another backend than that which would compute.
const elsewhere = " †"

// Remarks say, a line each, what is not simply used and what to do about it.
func (s Standing) Remarks() (lines []string) {
	for _, kind := range slices.Sorted(maps.Keys(s.Elsewhere)) {
		here := s.Backend
		if here == "" {
			here = "a backend that can be told"
		}
		lines = append(lines, fmt.Sprintf("† with runs that %s computed (%d), not %s: run makes them anew for that.",
			kind, s.Elsewhere[kind], here))
	}
	if s.Stale > 0 {
		lines = append(lines, staleRemark(s.Stale))
	}
	if s.Former > 0 {
		lines = append(lines, fmt.Sprintf("%d results in %s are from before generations were recorded and are not read: "+
			"remove them.", s.Former, s.folder))
	}
	return lines
}

func staleRemark(count int) string {
	return fmt.Sprintf("stale: of %d runs only another generation of the numerics than %d is stored; they are not shown, "+
		"and run makes them again only with --stale (Options.Stale).", count, generation)
}

// stale says that a number of runs are of another generation.
func stale(count, planned int) string { return fmt.Sprintf("stale, %d of %d", count, planned) }
