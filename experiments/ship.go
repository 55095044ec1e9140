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

// ShipReport says what [Study.Ship] wrote.
type ShipReport struct {
	// File is the archive, of so many Bytes.
	File  string
	Bytes int
	// Runs are in it; Missing are planned, but not made, or stored with an error.
	Runs, Missing int
}

// Ship writes the stored runs that options ask for to the archive of the study in this checkout,
// results/STUDY.jsonl.zst, from which every checkout shows them. Of their profile it holds no others then; runs that
// only the present archive holds are kept, unless Options.Fresh is set. Runs of other profiles stay as they are in the
// archive. Errors wrap [ErrStore], and [ErrInput] outside a checkout or where nothing is stored; the archive is then as
// it was.
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
	for _, result := range report.Results.Made() {
		if records[result.Record.Name()], err = result.Record.Encode(); err != nil {
			return r, fmt.Errorf("experiments: ship %s: %w", s.Name, err)
		}
	}
	r.Runs, r.Missing = len(records), len(report.Results)-len(records)
	if r.Runs == 0 {
		return r, errs.New(ErrInput, "experiments: ship %s: nothing is stored of profile %s in %s, run it first",
			s.Name, report.Profile, report.folder)
	}
	if err := s.keepOthers(ctx, report, o, records); err != nil {
		return r, err
	}
	r.Bytes, err = store.WriteArchive(r.File, s.Name, records)
	return r, err
}

// keepOthers adds the runs in the present archive that other profiles plan, and a report's does not.
func (s Study) keepOthers(ctx context.Context, report *Report, o Options, records map[string][]byte) error {
	present, err := store.Shipped(s.Name)
	if o.Fresh && errors.Is(err, ErrStore) { // it is to be replaced
		return nil
	}
	if err != nil || len(present) == 0 {
		return err
	}
	others, err := s.planned(ctx, o, slices.DeleteFunc(Profiles(), func(p Profile) bool { return p == report.Profile }))
	if err != nil {
		return err
	}
	for _, result := range report.Results {
		delete(others, result.slot.Hash())
	}
	for name, record := range present {
		if hash, _, _ := strings.Cut(name, "-"); others[hash] {
			records[name] = record
		}
	}
	return nil
}
