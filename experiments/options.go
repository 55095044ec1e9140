package experiments

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/xla"
)

// Options choose runs and how they are made; the zero value is all of the current profile.
type Options struct {
	// Profile is the size; "" means [CurrentProfile].
	Profile Profile
	// Models are IDs; none means all.
	Models []string
	// Only are the values of keys to which runs are kept, such as "split": {"random", "rolling-origin"}.
	Only map[string][]string
	// Seeds of the runs; nil means those of each model.
	Seeds []uint64
	// Fresh ignores the runs that came with the module.
	Fresh bool
	// Retry makes runs again whose error was stored.
	Retry bool
	// Stale makes runs again of which only another [Generation] is stored, and then deletes those of earlier ones.
	// Without it they are left as they are.
	Stale bool
	// SeedsTogether trains the seeds of a model in one program, see [pengcde.FitSeeds]. On a GPU that is always so.
	SeedsTogether bool
	// CheckpointEvery is the time between checkpoints of a training; 0 means that of [train.Checkpoint].
	CheckpointEvery time.Duration
	// Backend computes; nil means one is opened when a run is missing. Runs of another kind of backend are shown but
	// not reused.
	Backend *xla.Backend
	// Progress, if set, hears the fraction of the missing work that is done, NaN where it is not known, and what is
	// going on.
	Progress func(fraction float64, text string)
	// Notice, if set, hears what is out of the ordinary: a training that goes on from a checkpoint, a run that could not
	// be made.
	Notice func(string)
}

// kind is that of the backend that computes, or would; "" where none can be told.
func (o Options) kind() string {
	if o.Backend != nil {
		return o.Backend.Kind()
	}
	kind, err := xla.Expect(xla.Config{})
	if err != nil {
		return "" // opening it will say why
	}
	return kind
}

// job is a run that was asked for, and where it is stored.
type job struct {
	Run
	slot slot
}

// plan is what options ask of a study.
type plan struct {
	profile Profile
	store   store
	jobs    []job
}

// plan lists the runs that options ask for.
func (s Study) plan(o Options) (p plan, err error) {
	if o.Profile == "" {
		p.profile, err = CurrentProfile()
	} else {
		p.profile, err = ParseProfile(string(o.Profile))
	}
	if err != nil {
		return p, err
	}
	if p.store, err = openStore(s.Name, o); err != nil {
		return p, err
	}
	runs, err := s.Plan(Scope{p.profile, o.Seeds})
	if err != nil {
		return p, err
	}
	if err := o.check(s.Name, p.profile, runs); err != nil {
		return p, err
	}
	kind, seen := o.kind(), make(map[string]Run)
	for _, r := range runs {
		if !o.wants(r) {
			continue
		}
		identity, err := r.Identity()
		if err != nil {
			return p, err
		}
		backend := kind
		if r.Model.Untrained {
			backend = noBackend
		}
		slot, err := p.store.slot(backend, identity)
		if err != nil {
			return p, err
		}
		place := fmt.Sprintf("%s, %v, seed %d, fold %d", r.Model.ID, r.Keys, r.Seed, r.Fold)
		for _, what := range []string{slot.name, place} {
			if other, twice := seen[what]; twice {
				return p, fmt.Errorf("experiments: study %s has two runs of one identity, or of one model ID, keys, seed and "+
					"fold: %v and %v; want all that tells them apart in both: %w", s.Name, other, r, ErrInput)
			}
			seen[what] = r
		}
		p.jobs = append(p.jobs, job{r, slot})
	}
	return p, nil
}

// wants says whether a run is asked for.
func (o Options) wants(r Run) bool {
	for name, values := range o.Only {
		if !slices.Contains(values, r.Key(name)) {
			return false
		}
	}
	return (len(o.Only) > 0 || !r.OnRequest) && (len(o.Models) == 0 || slices.Contains(o.Models, r.Model.ID))
}

// check finds models and keys that a study does not have.
func (o Options) check(study string, profile Profile, runs []Run) error {
	asked := map[string][]string{"model": o.Models}
	maps.Copy(asked, o.Only)
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		var known []string
		for _, r := range runs {
			if value := r.Key(name); value != "" && !slices.Contains(known, value) {
				known = append(known, value)
			}
		}
		for _, value := range asked[name] {
			if len(known) == 0 {
				return fmt.Errorf("experiments: %s has no key %q in profile %s, want some of model, %s: %w", study, name,
					profile, strings.Join(runs[0].keyNames(), ", "), ErrInput)
			}
			if !slices.Contains(known, value) {
				return fmt.Errorf("experiments: %s has no %s %q in profile %s, want some of %s: %w",
					study, name, value, profile, strings.Join(known, ", "), ErrInput)
			}
		}
	}
	return nil
}
