package durable

import (
	"path/filepath"
	"strings"
)

// IsName says whether a text that stands in a file can be the name of another one: one component of a path, not hidden,
// that leads to no other folder on any system.
func IsName(text string) bool {
	return filepath.IsLocal(text) && !strings.HasPrefix(text, ".") && !strings.ContainsAny(text, "/\\:\x00")
}
