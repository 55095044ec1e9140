package experiments

import (
	"reflect"
	"testing"
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
