package equivariant

import (
	"errors"
	"strings"
	"testing"
)

// FuzzMapNames wants of any text a typed error, or a map that its own name gives back.
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

func kindNamed(name string) (k IdentityKind, err error) {
	err = k.UnmarshalText([]byte(name))
	return k, err
}

// FuzzIdentityKindNames wants of any text a typed error, or a kind that its own name gives back.
func FuzzIdentityKindNames(f *testing.F) {
	for _, text := range []string{"", "mlp", " Linear", "TABLE\t", "IdentityKind(1)", "mlp,linear", "\u017ftable"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kind, err := kindNamed(text)
		if err != nil {
			if !errors.Is(err, ErrIdentities) {
				t.Fatalf("%v, want ErrIdentities", err)
			}
			return
		}
		if again, err := kindNamed(kind.String()); err != nil || again != kind {
			t.Fatalf("%q is %v, and by its name %v, %v", text, kind, again, err)
		}
	})
}
