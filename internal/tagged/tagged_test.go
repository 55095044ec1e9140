package tagged

import (
	"maps"
	"slices"
	"testing"
	"time"
)

type Inner struct {
	Deep   int `json:"Deep"`
	Bare   int
	hidden int
}

type outer struct {
	Inner
	One   int               `json:"One,omitzero"`
	Two   int               `json:",omitzero"`
	Left  int               `json:"-"`
	Times []time.Time       `json:"Times"`
	More  map[string]*Inner `json:"More"`
	Own   struct{ X int }   `json:"Own"`
}

func TestFields(t *testing.T) {
	names, untagged := Fields(&outer{Inner: Inner{hidden: 1}})
	if want := []string{"tagged.Inner.Bare", "tagged.outer.Two", "struct { X int }.X"}; !slices.Equal(untagged, want) {
		t.Errorf("untagged %q, want %q", untagged, want)
	}
	if got, want := slices.Sorted(maps.Keys(names)), []string{"Deep", "More", "One", "Own", "Times"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}
