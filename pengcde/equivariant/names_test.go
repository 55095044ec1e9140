package equivariant

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/support/exceptions"
)

func mapNamed(name string) (m Map, err error) {
	err = m.UnmarshalText([]byte(name))
	return m, err
}

func TestMapsByName(t *testing.T) {
	for _, m := range All15() {
		if got, err := mapNamed(m.String()); err != nil || got != m {
			t.Errorf("%q is read as %v, %v", m.String(), got, err)
		}
	}
	if got, err := mapNamed(" Row-Sums_on  columns "); err != nil || got != RowsOnColumns {
		t.Errorf("a name with hyphens and capitals is read as %v, %v", got, err)
	}
	for _, bad := range []string{"", "identity map", "Map(3)"} {
		if _, err := mapNamed(bad); !errors.Is(err, ErrMap) {
			t.Errorf("%q: %v, want ErrMap", bad, err)
		}
	}
	text, err := json.Marshal(Published8())
	if err != nil {
		t.Fatal(err)
	}
	var back []Map
	if err := json.Unmarshal(text, &back); err != nil || !slices.Equal(back, Published8()) {
		t.Errorf("JSON %s reads back as %v, %v", text, back, err)
	}
	if _, err := Map(15).MarshalText(); !errors.Is(err, ErrMap) {
		t.Errorf("MarshalText of Map(15): %v, want ErrMap", err)
	}
}

// A fusion of maps that do not exist, or of more maps of A' than of A, panics with an error that gives the reason.
func TestFusionThatCannotBe(t *testing.T) {
	for name, f := range map[string]Fusion{
		"unknown map": {Maps: []Map{IdentityMap, 15}}, "unknown map of A'": {Maps: All15(),
			Derivative: slices.Repeat([]Map{-1}, 15)},
		"more of A'": {Maps: Published8(), Derivative: All15()},
	} {
		if err := exceptions.TryCatch[error](func() { f.basis(4) }); !errors.Is(err, ErrMap) {
			t.Errorf("%s: %v, want ErrMap", name, err)
		}
	}
}
