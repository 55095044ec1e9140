package studytest

import (
	"testing"

	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// NamedField returns the field of package field with this name.
func NamedField(t *testing.T, name string) field.Field {
	t.Helper()
	f, err := field.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
