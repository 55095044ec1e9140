package baseline

import (
	"reflect"

	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// models are the networks (sequence.Network) and vector fields (field.Field) of this package by their names in files,
// each with its options at their defaults. One that is added here is saved, loads and stands in settings by its name.
var models = []struct {
	name  string
	model any
}{
	{"dcrnn", DCRNN{}}, {"astgcn", ASTGCN{}}, {"stidgcn", STIDGCN{}}, {"stg-ncde", STGNCDE{}},
}

// Named is the network or the vector field of a name in files, with its options at their defaults; nil where there is
// none of that name.
func Named(name string) any {
	for _, m := range models {
		if m.name == name {
			return m.model
		}
	}
	return nil
}

// Name returns the name of a network or a vector field in files: the name in this package, or else [field.OwnName].
func Name(model any) string {
	for _, m := range models {
		if reflect.TypeOf(model) == reflect.TypeOf(m.model) {
			return m.name
		}
	}
	return field.OwnName(model)
}
