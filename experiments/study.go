package experiments

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// Study is one table or figure of an experiment, with the runs behind it. Its functions know nothing of files,
// backends or interruptions: that is for [Study.Run] and [Study.Stored].
type Study struct {
	// Name is what a shell calls it and the folder of its results; Title and Data are for people.
	Name, Title, Data string
	// About says in a paragraph or two which question the study asks, and by which protocol.
	About string
	// Like names studies that plan some of the same runs: one that is stored there is not made again here.
	Like []string `json:"-"`
	// TakesData says that Plan reads the files of [Scope]; where it is false, files are refused.
	TakesData bool `json:"-"`
	// Plan lists its runs in the order in which they are made.
	Plan func(context.Context, Scope) ([]Run, error) `json:"-"`
	// Execute computes one run. An error that says that the model diverged is stored as a diverged run, another one as
	// the error that kept the run from being made.
	Execute func(context.Context, *RunContext, Run) (*Facts, error) `json:"-"`
	// Show makes tables and figures of the stored runs, and computes nothing.
	Show func(*Report) ([]figures.Item, error) `json:"-"`
	// Page makes what else a page on the study has; nil for nothing.
	Page func(*Report) (*Page, error) `json:"-"`
}

// Scope is how much a study is asked to plan.
type Scope struct {
	Profile Profile
	// Seeds are the seeds asked for; none means the profile's.
	Seeds []uint64
	// Data are paths of further data, in the format that the study names.
	Data []string
	// Progress, if set, hears how much of a long file is read.
	Progress func(fraction float64, text string)
}

// SeedsOr are the seeds asked for, in order and each once, else the first planned ones.
func (s Scope) SeedsOr(planned int) []uint64 {
	seeds := slices.Compact(slices.Sorted(slices.Values(s.Seeds)))
	if len(seeds) == 0 {
		for seed := range uint64(planned) {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// Run is one thing to compute: a model on some data with one seed.
type Run struct {
	Model Row
	// Keys say what else it is of, such as "family": "grid" or "split": "random". Tables are made by them.
	Keys map[string]string
	Seed uint64
	// Fold numbers the runs of a seed where the data have several parts to test.
	Fold int
	// Identity returns all that decides the outcome but backend and [Generation], as a value for JSON with every default
	// written out. A stored run is found again by it.
	Identity func() (any, error) `json:"-"`
	// OnRequest leaves the run out unless one of its keys is asked for by name, see [Options].
	OnRequest bool `json:"-"`
	// Alone keeps all other runs of a command from being made beside it, as where something is timed.
	Alone bool `json:"-"`
	// Spec is for the study's own use.
	Spec any `json:"-"`
}

// Key is the value of a key, or for "model" the model's ID.
func (r Run) Key(name string) string {
	if name == "model" {
		return r.Model.ID
	}
	return r.Keys[name]
}

// kind is what runs have in common that take equally long.
func (r Run) kind() string { return r.Model.ID + " " + r.keys() }

// keys are their values in order of their names.
func (r Run) keys() string {
	var values []string
	for _, name := range r.keyNames() {
		values = append(values, r.Keys[name])
	}
	return strings.Join(values, ", ")
}

func (r Run) keyNames() []string { return slices.Sorted(maps.Keys(r.Keys)) }

// block is what models are compared on: keys, fold and seed.
func (r Run) block() string {
	block := r.keys()
	if r.Fold > 0 {
		block += fmt.Sprintf(" %d", r.Fold)
	}
	return fmt.Sprintf("%s, seed %d", block, r.Seed)
}

// String names the run for people.
func (r Run) String() string {
	if len(r.Keys) == 0 {
		return r.Model.Name + r.block()
	}
	return r.Model.Name + ", " + r.block()
}
