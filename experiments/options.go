package experiments

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/xla"
)

// Options selects the runs and sets how they are made. The zero value selects all runs of the current profile.
type Options struct {
	// Profile is the size of the experiment; "" means [CurrentProfile].
	Profile Profile
	// Models lists model IDs; empty means all models.
	Models []string
	// Only restricts runs to these values of their keys, such as "split": {"random", "rolling-origin"}.
	Only map[string][]string
	// Seeds lists the seeds of the runs; empty means the seeds that the study plans for each model.
	Seeds []uint64
	// Data lists the paths of your own files, which are forecast in addition to the study's data; see [Study].
	Data []string
	// Fresh ignores the runs that came with the module.
	Fresh bool
	// Retry makes runs again whose stored record is an error. RetryBefore, unless it is zero, does so only for errors
	// stored before this time, by the clock of the results folder, so that commands with one time try a run once.
	Retry       bool
	RetryBefore time.Time
	// Stale makes runs again that are stored only in another [Generation], and then deletes the earlier ones. Without
	// it they stay as they are.
	Stale bool
	// SeedsTogether trains the seeds of a model in one program, see [pengcde.FitSeeds]. On a GPU this is always done.
	SeedsTogether bool
	// CheckpointEvery is the time between checkpoints of a training; 0 means the default of [train.Checkpoint].
	CheckpointEvery time.Duration
	// Backend computes the runs; nil means one is opened when a run is missing. Runs of another kind of backend are
	// shown but not reused.
	Backend *xla.Backend
	// Progress, if not nil, is called with the completed fraction of the missing trainings (NaN if there are none),
	// the remaining time without compiling (0 if unknown), and a text about the runs under way. Before that, it is
	// called with the fraction of a file of Data that has been read.
	Progress func(fraction float64, left time.Duration, text string)
	// Advanced, if not nil, is called when an epoch or a run of this process or its workers has ended, and whenever
	// progress is reported after that.
	Advanced func()
	// Planned, if not nil, is called with the report on the stored runs before the first missing run is made.
	Planned func(*Report)
	// Notice, if not nil, is called with unusual events: a training that continues from a checkpoint, or a run that
	// could not be made.
	Notice func(string)
	// Jobs is the number of processes that make runs in parallel, see [Study.Share]; 0 and 1 mean only this process.
	// Worker returns a new command for each of them, which calls [Study.Work] with the same options. Cores is the
	// number of cores per process, as in [Study.Share]; 0 means an equal share.
	Jobs, Cores int
	Worker      func() *exec.Cmd

	leases *store.Leases // created for each call, except in tests
}

// kind returns the kind of the backend that computes, or would compute; "" if unknown.
func (o Options) kind() string {
	if o.Backend != nil {
		return o.Backend.Kind()
	}
	kind, _ := xla.Expect(xla.Config{}) // opening the backend will report why there is none
	return kind
}

// plan returns the report on the selected runs, without their records, and the store that may hold them.
func (s Study) plan(ctx context.Context, o Options) (*Report, store.Store, error) {
	profile, err := o.profile()
	if err != nil {
		return nil, store.Store{}, err
	}
	all, err := s.open(o)
	if err != nil {
		return nil, all, err
	}
	runs, err := s.selected(ctx, o, profile)
	if err != nil {
		return nil, all, err
	}
	p := &Report{Study: s, Profile: profile, Backend: o.kind(), folder: all.Folder()}
	seen := make(map[string]Run)
	for _, r := range runs {
		slot, err := r.slot(all, p.Backend)
		if err != nil {
			return nil, all, err
		}
		label := fmt.Sprintf("%s, %v, seed %d, fold %d", r.Model.ID, r.Keys, r.Seed, r.Fold)
		for _, what := range []string{slot.Name(), label} {
			if other, twice := seen[what]; twice {
				return nil, all, errs.New(ErrInput, "experiments: study %s has two runs of one identity, or of one model ID, "+
					"keys, seed and fold: %v and %v; want all that tells them apart in both", s.Name, other, r)
			}
			seen[what] = r
		}
		p.Results = append(p.Results, Result{Run: r, slot: slot})
	}
	return p, all, nil
}

// profile returns the profile of the options, or the current one.
func (o Options) profile() (Profile, error) {
	if o.Profile == "" {
		return CurrentProfile()
	}
	return ParseProfile(string(o.Profile))
}

// selected returns the selected runs of a profile.
func (s Study) selected(ctx context.Context, o Options, p Profile) ([]Run, error) {
	if len(o.Data) > 0 && !s.TakesData {
		return nil, errs.New(ErrInput, "experiments: %s takes no files of data, got %q: leave them out", s.Name, o.Data)
	}
	scope := Scope{Profile: p, Seeds: o.Seeds, Data: o.Data}
	if o.Progress != nil {
		scope.Progress = func(fraction float64, text string) { o.Progress(fraction, 0, text) }
	}
	runs, err := s.Plan(ctx, scope)
	if err != nil {
		return nil, err
	}
	if err := o.check(s.Name, p, runs); err != nil {
		return nil, err
	}
	wanted := slices.DeleteFunc(runs, func(r Run) bool { return !o.wants(r) })
	if len(wanted) == 0 {
		return nil, errs.New(ErrInput, "experiments: %s plans no run in profile %s with models %q and keys %v "+
			"together: want at least one, so leave some out", s.Name, p, o.Models, o.Only)
	}
	return wanted, nil
}

// slot returns the slot of a run that a kind of backend makes.
func (r Run) slot(all store.Store, backend string) (store.Slot, error) {
	identity, err := r.Identity()
	if err != nil {
		return store.Slot{}, err
	}
	if r.Model.Untrained {
		backend = noBackend
	}
	return all.Slot(identity, generation, backend)
}

// wants reports whether the options select a run.
func (o Options) wants(r Run) bool {
	for name, values := range o.Only {
		if !slices.Contains(values, r.Key(name)) {
			return false
		}
	}
	return len(o.Models) == 0 || slices.Contains(o.Models, r.Model.ID)
}

// check returns an error for models and keys that a study does not have.
func (o Options) check(study string, profile Profile, runs []Run) error {
	if len(runs) == 0 {
		return errs.New(ErrInput, "experiments: %s plans no runs in profile %s", study, profile)
	}
	asked := make(map[string][]string)
	maps.Copy(asked, o.Only)
	asked["model"] = slices.Concat(o.Models, o.Only["model"])
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		var known []string
		for _, r := range runs {
			if value := r.Key(name); value != "" && !slices.Contains(known, value) {
				known = append(known, value)
			}
		}
		for _, value := range asked[name] {
			if len(known) == 0 {
				return errs.New(ErrInput, "experiments: %s has no key %q in profile %s, %s", study, name, profile,
					nearest.Want(name, append([]string{"model"}, runs[0].keyNames()...)))
			}
			if !slices.Contains(known, value) {
				return errs.New(ErrInput, "experiments: %s has no %s %q in profile %s, %s", study, name, value, profile,
					nearest.Want(value, known))
			}
		}
	}
	return nil
}
