package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ShipReport describes what [Study.Ship] wrote.
type ShipReport struct {
	// File is the path of the archive, and Bytes its size.
	File  string
	Bytes int
	// Runs counts the runs in the archive. Missing counts planned runs that are not made, or stored with an error.
	Runs, Missing int
}

// Ship writes the selected stored runs to the archive of the study in this checkout, results/STUDY.jsonl.zst. Every
// checkout shows them from there. Of the profile, the archive then holds only the selected runs. Selected runs
// that exist only in the current archive are kept, unless Options.Fresh is set; so are the records of selected runs by
// other backends. Records of selected runs by another [Generation] go. Runs of other profiles do not change. Runs that
// only a study in [Study].Like has stored stay there.
//
// Errors wrap [ErrStore], and [ErrInput] outside a checkout or if nothing is stored; the archive then stays as it
// was.
func (s Study) Ship(ctx context.Context, o Options) (r ShipReport, err error) {
	if r.File = store.ArchiveFile(s.Name); r.File == "" {
		return r, errs.New(ErrInput, "experiments: ship %s: the working folder is in no checkout of the module, want one",
			s.Name)
	}
	report, err := s.Stored(ctx, o)
	if err != nil {
		return r, err
	}
	records := make(map[string][]byte)
	made := report.Results.Made()
	for _, result := range made {
		if result.Record.Study != s.Name {
			continue
		}
		if records[result.Record.Name()], err = result.Record.Encode(); err != nil {
			return r, fmt.Errorf("experiments: ship %s: %w", s.Name, err)
		}
	}
	r.Runs, r.Missing = len(records), len(report.Results)-len(made)
	if r.Runs == 0 {
		return r, errs.New(ErrInput, "experiments: ship %s: no run of its own of profile %s is in %s, run it first; "+
			"runs that another study has stored ship with that study", s.Name, report.Profile,
			report.folder)
	}
	if err := s.keepOthers(ctx, report, o, records); err != nil {
		return r, err
	}
	r.Bytes, err = store.WriteArchive(r.File, s.Name, records)
	return r, err
}

// keepOthers adds the records of the current archive that [Study.Ship] keeps.
func (s Study) keepOthers(ctx context.Context, report *Report, o Options, records map[string][]byte) error {
	present, err := store.Shipped(s.Name)
	if o.Fresh && errors.Is(err, ErrStore) { // it will be replaced
		return nil
	}
	if err != nil || len(present) == 0 {
		return err
	}
	profiles := slices.DeleteFunc(Profiles(), func(p Profile) bool { return p == report.Profile })
	others, err := s.planned(ctx, Options{Fresh: o.Fresh, Data: o.Data, Backend: o.Backend}, profiles)
	if err != nil {
		return err
	}
	selected := make(map[string]bool)
	for _, result := range report.Results {
		selected[result.slot.Hash()] = true
	}
	for name, record := range present {
		hash, rest, _ := strings.Cut(name, "-")
		keep := others[hash]
		if selected[hash] { // by another backend
			keep = !o.Fresh && records[name] == nil && strings.HasPrefix(rest, fmt.Sprintf("g%d-", generation))
		}
		if keep {
			records[name] = record
		}
	}
	return nil
}
