package store

import (
	"encoding/json"
	"testing"
)

// An identity is written as json.Marshal writes it.
func TestEncode(t *testing.T) {
	for _, identity := range []any{nil, 1, map[string]any{}, struct{ B, A int }{1, 2},
		map[string]any{"b": []int{1}, "a<&>\u2028": "<ä>", "": Canonical(`{"c":[1,2]}`), "n": nil,
			"c": map[string]any{"z": 1}}} {
		got, err := encode(identity)
		want, err2 := json.Marshal(identity)
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%v is written as %s (%v), want %s (%v)", identity, got, err, want, err2)
		}
	}
	if _, err := encode(map[string]any{"a": func() {}}); err == nil {
		t.Error("a function is written")
	}
}
