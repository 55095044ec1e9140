package equivariant

import (
	"errors"
	"strings"
	"testing"
)

// FuzzMapNames checks that any text gives a typed error, or a map whose name gives the map back.
func FuzzMapNames(f *testing.F) {
	for _, text := range []string{
		"identity", "Identity", "row-sums_on columns", "diagonal", "", "Map(3)", "identity;transpose", "ıdentity",
		"\u212Aidentity", "identity\u00a0", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := mapNamed(text)
		if err != nil {
			if !errors.Is(err, ErrMap) {
				t.Fatalf("%v, want ErrMap", err)
			}
			return
		}
		name := strings.ToUpper(strings.ReplaceAll(m.String(), " ", "_"))
		if again, err := mapNamed(name); err != nil || again != m {
			t.Fatalf("%q gives %v, and %q gives %v, %v", text, m, name, again, err)
		}
	})
}
