package durable

import (
	"path/filepath"
	"strings"
)

// IsName reports whether a text read from a file is a safe file name: a single path component, not hidden, that leads
// to no other folder on any system.
func IsName(text string) bool {
	return filepath.IsLocal(text) && !strings.HasPrefix(text, ".") && !strings.ContainsAny(text, "/\\:\x00")
}
