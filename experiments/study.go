package experiments

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

// Study describes one table or figure of an experiment and the runs behind it. Its functions do not handle files,
// backends or interruptions; [Study.Run] and [Study.Stored] do.
type Study struct {
	// Name is the name used on the command line, and the name of the folder of its results. Title and Data are for
	// people.
	Name, Title, Data string
	// About describes, in a paragraph or two, the question of the study and its protocol.
	About string
	// Like names studies that plan some of the same runs. A run that is stored there is shown, and not made again.
	Like []string `json:"-"`
	// TakesData reports that Plan reads the files of [Scope]. If it is false, files are refused.
	TakesData bool `json:"-"`
	// Plan lists the runs in the order in which they are made.
	Plan func(context.Context, Scope) ([]Run, error) `json:"-"`
	// Execute computes one run. If the error says that the model diverged, the run is stored as diverged; any other
	// error is stored as the reason why the run could not be made.
	Execute func(context.Context, *RunContext, Run) (*Facts, error) `json:"-"`
	// Show makes tables and figures of the stored runs, and computes nothing.
	Show func(*Report) ([]figures.Item, error) `json:"-"`
	// Page makes the additional content of a page on the study; nil means none.
	Page func(*Report) (*Page, error) `json:"-"`
}

// Scope limits what a study plans.
type Scope struct {
	Profile Profile
	// Seeds lists the requested seeds; empty means the profile's.
	Seeds []uint64
	// Data lists the paths of additional data, in the format that the study names.
	Data []string
	// Progress, if not nil, is called with the fraction of a long file that has been read.
	Progress func(fraction float64, text string)
}

// SeedsOr returns the requested seeds, sorted and without duplicates, or the first planned seeds if none are
// requested.
func (s Scope) SeedsOr(planned int) []uint64 {
	seeds := slices.Compact(slices.Sorted(slices.Values(s.Seeds)))
	if len(seeds) == 0 {
		for seed := range uint64(planned) {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// Run is one unit of computation: a model on a data set with one seed.
type Run struct {
	Model Row
	// Keys name the other properties of the run, such as "family": "grid" or "split": "random". Tables are made from
	// them.
	Keys map[string]string
	Seed uint64
	// Fold numbers the runs of a seed if the data have several test parts.
	Fold int
	// Identity returns everything that decides the outcome, except backend and [Generation], as a JSON value with all
	// defaults written out. A stored run is found by it.
	Identity func() (any, error) `json:"-"`
	// Alone prevents other runs of the same command from being made at the same time, for example when something is
	// timed.
	Alone bool `json:"-"`
	// Spec is for the study's own use.
	Spec any `json:"-"`
}

// Key returns the value of a key; for "model" it returns the model's ID.
func (r Run) Key(name string) string {
	if name == "model" {
		return r.Model.ID
	}
	return r.Keys[name]
}

// kind is equal for runs that take equally long.
func (r Run) kind() string { return r.Model.ID + " " + r.keys() }

// keys returns the values of the keys, ordered by name.
func (r Run) keys() string {
	var values []string
	for _, name := range r.keyNames() {
		values = append(values, r.Keys[name])
	}
	return strings.Join(values, ", ")
}

func (r Run) keyNames() []string { return slices.Sorted(maps.Keys(r.Keys)) }

// block names the keys that are set, numbers with their key, and the fold and seed on which models are compared.
func (r Run) block() string {
	var parts []string
	for _, name := range r.keyNames() {
		value := r.Keys[name]
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			value = name + " " + value
		}
		if value != "" {
			parts = append(parts, value)
		}
	}
	switch last := len(parts) - 1; {
	case r.Fold > 0 && last >= 0:
		parts[last] += fmt.Sprintf(" %d", r.Fold)
	case r.Fold > 0:
		parts = []string{fmt.Sprintf("fold %d", r.Fold)}
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), ", ")
}

// String returns a name for people.
func (r Run) String() string { return r.Model.Name + ", " + r.block() }
