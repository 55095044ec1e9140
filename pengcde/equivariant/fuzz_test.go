package equivariant

import (
	"errors"
	"strings"
	"testing"
)

// FuzzParseMaps wants of any text a typed error, or maps that their own names give back.
func FuzzParseMaps(f *testing.F) {
	for _, text := range []string{
		"published8", " Published11\n", "all15", "identity", "Identity, TRANSPOSE", "row-sums_on columns,diagonal",
		"identity, identity",
		"identity,", ",", "", "Map(3)", "identity;transpose", "ıdentity", "\u212Aidentity", "identity\u00a0", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		maps, derivative, err := ParseMaps(text)
		if err != nil {
			if !errors.Is(err, ErrMap) || maps != nil || derivative != nil {
				t.Fatalf("%v, %v, %v, want ErrMap alone", maps, derivative, err)
			}
			return
		}
		if len(maps) == 0 || derivative != nil && len(derivative) != len(maps) {
			t.Fatalf("%q: %v, %v", text, maps, derivative)
		}
		for _, m := range maps {
			name := strings.ToUpper(strings.ReplaceAll(m.String(), " ", "_"))
			if again, err := ParseMap(name); err != nil || again != m {
				t.Fatalf("%q gives %v, and %q gives %v, %v", text, m, name, again, err)
			}
		}
	})
}

// FuzzParseIdentityKind wants of any text a typed error, or a kind that its own name gives back.
func FuzzParseIdentityKind(f *testing.F) {
	for _, text := range []string{"", "mlp", " Linear", "TABLE\t", "IdentityKind(1)", "mlp,linear", "\u017ftable"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kind, err := ParseIdentityKind(text)
		if err != nil {
			if !errors.Is(err, ErrIdentities) {
				t.Fatalf("%v, want ErrIdentities", err)
			}
			return
		}
		if again, err := ParseIdentityKind(kind.String()); err != nil || again != kind {
			t.Fatalf("%q is %v, and by its name %v, %v", text, kind, again, err)
		}
	})
}
