package experiments

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// settingsOfOld and settingsOfNow are one type before and after renaming the type, its fields and their types.
type (
	settingsOfOld struct {
		Width  int       `json:"Width"`
		Inner  *innerOld `json:"Inner"`
		Sizes  []innerOld
		Hidden float64 `json:"-"`
	}
	innerOld struct {
		Rate float64 `json:"Rate"`
	}
	settingsOfNow struct {
		Columns int        `json:"Width"`
		Part    *innerNow  `json:"Inner"`
		Parts   []innerNow `json:"Sizes"`
		Left    float64    `json:"-"`
		Added   float64    `json:"Added,omitzero"`
		own     int
	}
	innerNow struct {
		Speed float64 `json:"Rate"`
		More  *bool   `json:"More,omitzero"`
	}
)

// A rename changes no identity, nor does a field that is added with omitzero; zeros of other fields are written.
func TestRenamesKeepIdentities(t *testing.T) {
	text := func(value any) string {
		content, err := canonicalJSON(reflect.ValueOf(value))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	const want = `{"Inner":{"Rate":0},"Sizes":[{"Rate":2}],"Width":0}`
	before := text(settingsOfOld{Inner: &innerOld{}, Sizes: []innerOld{{2}}, Hidden: 1})
	after := text(settingsOfNow{Part: &innerNow{}, Parts: []innerNow{{Speed: 2}}, Left: 2, own: 3})
	if before != want || after != want {
		t.Errorf("before the rename %s, after it %s, want %s", before, after, want)
	}
	if set := text(settingsOfNow{Added: 1}); set != `{"Added":1,"Inner":null,"Sizes":[],"Width":0}` {
		t.Errorf("with the added setting %s", set)
	}
}

// A change of any field of a series changes its digest, except of the fields that no forecast depends on.
func TestDigest(t *testing.T) {
	const names, units = "a name for people", "forecasts are of standardised values; scales convert them for people"
	excluded := map[string]string{"Name": names, "NodeNames": names, "Dates": "times are hashed", "Scales": units}
	affinities := func(value float64) []*dyngraph.Affinities {
		return []*dyngraph.Affinities{nil, {Nodes: []int32{1}, Start: []int{0, 1}, Classes: []int32{2},
			Values: []float64{value}}}
	}
	// Each field is changed in turn; of several changes, each differs from the others too.
	changes := map[string][]func(*dyngraph.Series){
		"Name":      {func(s *dyngraph.Series) { s.Name += "s" }},
		"NodeNames": {func(s *dyngraph.Series) { s.NodeNames = []string{"a", "b", "c", "d", "e", "f"} }},
		"Dates":     {func(s *dyngraph.Series) { s.Dates = make([]time.Time, len(s.Times)) }},
		"Scales":    {func(s *dyngraph.Series) { s.Scales = make([]dyngraph.Scale, len(s.Times)) }},
		"Times":     {func(s *dyngraph.Series) { s.Times[1] += 1e-9 }},
		"Pattern": {func(s *dyngraph.Series) { s.Pattern.Nodes++ }, func(s *dyngraph.Series) { s.Pattern.From[1] = 5 },
			func(s *dyngraph.Series) { s.Pattern.To[1] = 5 }},
		"Weights": {func(s *dyngraph.Series) { s.Weights[2][1] += 0.001 }},
		"Present": {func(s *dyngraph.Series) { s.Present = [][]bool{{true}, {false}} },
			func(s *dyngraph.Series) { s.Present = [][]bool{{true}, {true}} }},
		"Features":    {func(s *dyngraph.Series) { s.Features[2][1] += 0.001 }},
		"FeatureSize": {func(s *dyngraph.Series) { s.FeatureSize++ }},
		"Lagged":      {func(s *dyngraph.Series) { s.Lagged = true }},
		"EachStep":    {func(s *dyngraph.Series) { s.EachStep = true }},
		"Alignment": {func(s *dyngraph.Series) { s.Alignment.Features.First-- },
			func(s *dyngraph.Series) { s.Alignment.Targets.Last++ }},
		"Targets":    {func(s *dyngraph.Series) { s.Targets[2][1] += 0.001 }},
		"TargetSize": {func(s *dyngraph.Series) { s.TargetSize++ }},
		"GraphTargets": {func(s *dyngraph.Series) { s.GraphTargets = [][]float64{{1}} },
			func(s *dyngraph.Series) { s.GraphTargets = [][]float64{{2}} }},
		"Affinities": {func(s *dyngraph.Series) { s.Affinities = affinities(1) },
			func(s *dyngraph.Series) { s.Affinities = affinities(2) }},
		"Prior": {func(s *dyngraph.Series) { s.Prior = affinities(1) },
			func(s *dyngraph.Series) { s.Prior = affinities(2) }},
		"Classes":      {func(s *dyngraph.Series) { s.Classes = 3 }},
		"LastObserved": {func(s *dyngraph.Series) { s.LastObserved[2][1] += 0.001 }},
		"RecentMean":   {func(s *dyngraph.Series) { s.RecentMean[3][2] += 0.001 }},
	}
	fresh := func() *dyngraph.Series { // rows are shared between fields of ring
		s := ring()
		for _, rows := range []*[][]float64{&s.Features, &s.Targets, &s.LastObserved, &s.RecentMean} {
			*rows = slices.Clone(*rows)
			for i, row := range *rows {
				(*rows)[i] = slices.Clone(row)
			}
		}
		return s
	}
	before := Digest(fresh())
	seen := map[string]string{before: "nothing"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dyngraph.Series]()) {
		if len(changes[f.Name]) == 0 {
			t.Errorf("field %s of a series is not in this test: add it to Digest, if it is set, or to the excluded", f.Name)
		}
		for _, change := range changes[f.Name] {
			s := fresh()
			change(s)
			digest := Digest(s)
			if why := excluded[f.Name]; why != "" {
				if digest != before {
					t.Errorf("a change of %s changes the digest: %s", f.Name, why)
				}
				continue
			}
			if other, known := seen[digest]; known {
				t.Errorf("a change of %s gives the digest of a change of %s", f.Name, other)
			}
			seen[digest] = f.Name
		}
	}
}
