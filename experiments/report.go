package experiments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/figures"
)

// Report holds the selected runs with their records.
type Report struct {
	Study   Study
	Profile Profile
	// Results lists the runs in the order of the plan, including the missing ones.
	Results Results
	// All lists the runs of the same keys with every model and the profile's seeds, whatever the options select: rows
	// are compared with them.
	All Results `json:"-"`
	// Backend is the kind of backend that would compute; "" if unknown.
	Backend string

	folder string
}

// Result is a run and its record.
type Result struct {
	Run
	// Record is nil if no record of this [Generation] is stored.
	Record *Record
	// Stale reports that only a record of another generation is stored; it is not shown. OtherBackend reports that
	// another kind of backend made the record than the backend that would compute. Shipped reports that the record
	// came with the module.
	Stale        bool `json:",omitempty"`
	OtherBackend bool `json:"Elsewhere,omitempty"`
	Shipped      bool `json:",omitempty"`

	slot store.Slot // where the record is stored, or will be
}

// Stored returns the runs with their records, and computes nothing.
func (s Study) Stored(ctx context.Context, o Options) (*Report, error) {
	r, err := s.find(ctx, o)
	if err != nil || len(o.Models) == 0 && len(o.Seeds) == 0 {
		return r, err
	}
	o.Models, o.Seeds = nil, nil
	all, err := s.find(ctx, o)
	if err != nil {
		return nil, err
	}
	r.All = all.Results
	return r, nil
}

// find returns the report on the selected runs, without other runs for comparison.
func (s Study) find(ctx context.Context, o Options) (*Report, error) {
	r, all, err := s.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	names, err := all.Names()
	if err != nil {
		return nil, err
	}
	for i, planned := range r.Results {
		if r.Results[i], err = planned.with(planned.slot.FindIn(names)); err != nil {
			return nil, err
		}
	}
	r.All = r.Results
	return r, nil
}

// Folder returns the folder where the results of the study are stored, or will be.
func (r *Report) Folder() string { return r.folder }

// Count returns the number of stored runs and the number of all selected runs.
func (r *Report) Count() (stored, planned int) { return len(r.Results.Made()), len(r.Results) }

// Within reports whether another report plans all stored runs of this one.
func (r *Report) Within(other *Report) bool {
	planned := make(map[string]bool)
	for _, result := range other.Results {
		planned[result.slot.Name()] = true
	}
	return !slices.ContainsFunc(r.Results.Made(), func(result Result) bool { return !planned[result.slot.Name()] })
}

// Kept reports whether [Study.Run] can continue from earlier work: a stored run, or the checkpoint of an interrupted
// training.
func (r *Report) Kept() bool {
	files, err := r.Results.files()
	return err == nil && slices.ContainsFunc(r.Results, func(result Result) bool { return files.Kept(result.slot) })
}

// files returns the files of the study of the results.
func (r Results) files() (store.Files, error) {
	if len(r) == 0 {
		return nil, nil
	}
	return r[0].slot.Files()
}

// Comparable reports whether the results allow a comparison of models. Runs of [Quick] train for a few epochs, only
// to check that they train. Their tables mark no best value, print no published value, take no differences, and say
// so.
func (r *Report) Comparable() bool { return r.Profile != Quick }

// Models returns the IDs of the models, in the order of the plan.
func (r *Report) Models() []string { return r.Results.Values("model") }

// Caution returns the finding of a table that does not compare models.
func (r *Report) Caution() string {
	return fmt.Sprintf("Profile %s: small models and few epochs, to see that they train. The numbers do not compare "+
		"models.", r.Profile)
}

// Items returns the tables and figures of the study, followed by the notes on the report.
func (r *Report) Items() ([]figures.Item, error) {
	items, err := r.Study.Show(r)
	if err != nil {
		return nil, err
	}
	return append(items, r.Notes()), nil
}

// Notes returns the notes on the whole report, for the end of a page: the notes of its models, the meaning of the
// cost columns, the time of the stored runs, and the remarks.
func (r *Report) Notes() figures.NoteList {
	var notes figures.NoteList
	for _, result := range r.Results {
		if note := result.Model.Note; note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return append(append(notes, r.Results.costs()), r.Remarks()...)
}

// Marks of a row with runs of another backend, and of a row with runs that came with the module.
const elsewhereMark, shippedMark = " †", " ‡"

// Remarks returns one line for each kind of stored run that needs attention, with what to do about it. They are part
// of [Report.Notes].
func (r *Report) Remarks() (lines []string) {
	elsewhere := make(map[string]int)
	for _, result := range r.Results.only(func(result Result) bool { return result.OtherBackend }) {
		elsewhere[result.Record.Backend]++
	}
	for _, kind := range slices.Sorted(maps.Keys(elsewhere)) {
		lines = append(lines, fmt.Sprintf("† with runs that %s computed (%d), not %s: run makes them anew for that.",
			kind, elsewhere[kind], cmp.Or(r.Backend, "a backend that can be told")))
	}
	if shipped := r.Results.only(func(result Result) bool { return result.Shipped }); len(shipped) > 0 {
		newest := slices.MaxFunc(shipped, func(a, b Result) int { return a.Record.Ended.Compare(b.Record.Ended) })
		lines = append(lines, fmt.Sprintf("‡ with runs that came with the module (%d, the newest of %s); --fresh "+
			"(Options.Fresh) leaves them out.", len(shipped), newest.Record.Ended.Format(time.DateOnly)))
	}
	if stale := r.Results.Stale(); stale > 0 {
		lines = append(lines, staleRemark(stale))
	}
	if failed := r.Results.failed(); len(failed) > 0 {
		lines = append(lines, failed.errorRemark())
	}
	return lines
}

// errorRemark gives the reason of the first of runs that ended with an error.
func (r Results) errorRemark() string {
	reason, _, _ := strings.Cut(r[0].Record.Error, "\n")
	which := "it is of"
	if len(r) > 1 {
		which = fmt.Sprintf("of %d runs, the first of which is", len(r))
	}
	return fmt.Sprintf("error: %s %s, seed %d: %s. Run makes such runs again only with --retry (Options.Retry).", which,
		r[0].Model.Name, r[0].Seed, strings.TrimSuffix(reason, "."))
}

func staleRemark(count int) string {
	return fmt.Sprintf("stale: of %d runs only another generation of the numerics than %d is stored; they are not shown, "+
		"and run makes them again only with --stale (Options.Stale).", count, generation)
}
