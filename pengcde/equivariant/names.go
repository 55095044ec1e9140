package equivariant

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMap is wrapped by errors about maps that do not exist or do not fit.
var ErrMap = errors.New("no such map")

// String names the map: "identity", "row sums on columns".
func (m Map) String() string {
	if m < 0 || int(m) >= mapCount {
		return fmt.Sprintf("Map(%d)", int(m))
	}
	return table[m].name
}

// ParseMap finds the map of a name, as [Map.String] gives it; capitals do not matter, and hyphens and underscores stand
// for spaces. The error wraps [ErrMap].
func ParseMap(name string) (Map, error) {
	plain := strings.Join(strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(name))), " ")
	for m, entry := range table {
		if entry.name == plain {
			return Map(m), nil
		}
	}
	return 0, fmt.Errorf("pengcde/equivariant: map %q, want one of %s: %w", name, listed(All15()), ErrMap)
}

// MarshalText implements [encoding.TextMarshaler] with the name; the error wraps [ErrMap].
func (m Map) MarshalText() ([]byte, error) {
	if m < 0 || int(m) >= mapCount {
		return nil, fmt.Errorf("pengcde/equivariant: %v, want 0 to %d: %w", m, mapCount-1, ErrMap)
	}
	return []byte(m.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler] by [ParseMap].
func (m *Map) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMap(string(text))
	return err
}

func listed(maps []Map) string {
	names := make([]string, len(maps))
	for i, m := range maps {
		names[i] = m.String()
	}
	return strings.Join(names, ", ")
}
