package paper

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"unicode"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/tgn"
	"github.com/peng-cde/pengcde-go/affinity/tokens"
	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
	"github.com/peng-cde/pengcde-go/experiments/paper/ranking"
	"github.com/peng-cde/pengcde-go/experiments/paper/sir"
	"github.com/peng-cde/pengcde-go/internal/tagged"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/law"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ofSets are the field names in the identities of simulated data, whose type belongs to another package and is tested
// there.
var ofSets = []string{"Generation", "Classes", "Family", "FamilyParameters", "Dynamics", "DynamicsParameters",
	"Channels",
	"Nodes", "Graphs", "Ticks", "Events", "Horizon", "Amplitude", "EventProbability", "Step", "Seed", "AsPublished",
	"Observations", "Shape"}

// All types in identities name their fields by tags, so that renaming a field changes no identity.
func TestIdentitiesHaveNamesOfTags(t *testing.T) {
	values := []any{pengcde.Resolved{}, train.Config{}, synthetic.Amplitude{}, sir.RemovedRatio{}, law.LeastSquares{},
		tgn.Config{}, tokens.Config{}, pengcde.Config{}, experiments.Record{}} // the last two are for stored files
	for _, name := range []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde"} {
		values = append(values, field.Registered(name))
	}
	for _, name := range field.Names() {
		values = append(values, studytest.NamedField(t, name))
	}
	for _, f := range baseline.Heuristics() {
		values = append(values, f)
	}
	for _, f := range graphs.All() {
		values = append(values, f)
	}
	for _, p := range experiments.Profiles() {
		runs, err := ranking.NodeAffinity().Plan(t.Context(), experiments.Scope{Profile: p, Seeds: []uint64{0}})
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			if f := run.Spec.(interface{ Forecaster() affinity.Forecaster }).Forecaster(); f != nil {
				values = append(values, f)
			}
		}
	}
	names, untagged := tagged.Fields(values...)
	if len(untagged) > 0 {
		t.Errorf("these fields are in identities or files by the names of Go, which a rename would lose: %q. Give each a "+
			"tag "+
			"with its name of now, `json:\"Name\"`, and one that is new omitzero too", untagged)
	}
	for _, name := range ofSets {
		names[name] = true
	}
	for _, study := range All() {
		for _, profile := range experiments.Profiles() {
			found := make(map[string]bool)
			for _, identity := range identitiesOf(t, study, profile) {
				var value any
				if err := json.Unmarshal([]byte(identity), &value); err != nil {
					t.Fatal(err)
				}
				collect(value, found)
			}
			for _, name := range slices.Sorted(maps.Keys(found)) {
				if unicode.IsUpper([]rune(name + " ")[0]) && !names[name] {
					t.Errorf("%s, %s: identities have %q, a name of none of the types that are looked at here: add its type",
						study.Name, profile, name)
				}
			}
		}
	}
}

// collect adds the names of all objects.
func collect(value any, names map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			names[name] = true
			collect(inner, names)
		}
	case []any:
		for _, inner := range value {
			collect(inner, names)
		}
	case string: // options are JSON in a string
		var inner map[string]any
		if json.Unmarshal([]byte(value), &inner) == nil {
			collect(inner, names)
		}
	}
}
