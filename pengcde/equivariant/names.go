package equivariant

import (
	"errors"
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrMap is wrapped by errors about maps that do not exist or do not fit together.
var ErrMap = errors.New("no such map")

// String names the map: "identity", "row sums on columns".
func (m Map) String() string {
	if m < 0 || int(m) >= mapCount {
		return fmt.Sprintf("Map(%d)", int(m))
	}
	return table[m].name
}

// MarshalText implements [encoding.TextMarshaler] with the name; the error wraps [ErrMap].
func (m Map) MarshalText() ([]byte, error) {
	if m < 0 || int(m) >= mapCount {
		return nil, errs.New(ErrMap, "pengcde/equivariant: %v, want 0 to %d", m, mapCount-1)
	}
	return []byte(m.String()), nil
}

// UnmarshalText finds the map with a name from [Map.String]. Case is ignored, and hyphens and underscores count as
// spaces. The error wraps [ErrMap].
func (m *Map) UnmarshalText(text []byte) error {
	spaced := strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(string(text)))
	name := strings.Join(strings.Fields(spaced), " ")
	for known, entry := range table {
		if entry.name == name {
			*m = Map(known)
			return nil
		}
	}
	return errs.New(ErrMap, "pengcde/equivariant: map %q, want one of %q", text, All15())
}
