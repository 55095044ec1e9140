// Package tagged finds fields whose names in JSON are those of Go, in types whose JSON is stored: such a name would be
// lost with a rename.
package tagged

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Fields are the names in JSON of all exported fields of values and of what these hold, and the fields that have none
// from a tag, as "package.Type.Field". Values with a text or a JSON of their own are passed over, as are fields that are
// not stored.
func Fields(values ...any) (names map[string]bool, untagged []string) {
	w := walk{names: make(map[string]bool), seen: make(map[reflect.Type]bool)}
	for _, v := range values {
		w.visit(reflect.TypeOf(v), true)
	}
	return w.names, w.untagged
}

type walk struct {
	names    map[string]bool
	untagged []string
	seen     map[reflect.Type]bool
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// visit looks at a type; that of a value that was named is looked into also where it has a JSON of its own, which may be
// made of its fields.
func (w *walk) visit(t reflect.Type, named bool) {
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	if !named && (t.Implements(textMarshaler) || t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(textMarshaler)) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		w.visit(t.Elem(), named)
	case reflect.Slice, reflect.Array, reflect.Map:
		w.visit(t.Elem(), false)
	case reflect.Struct:
		for i := range t.NumField() {
			w.field(t, t.Field(i))
		}
	}
}

func (w *walk) field(of reflect.Type, f reflect.StructField) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() && !f.Anonymous || name == "-" {
		return
	}
	switch {
	case f.Anonymous && name == "": // its fields are those of the struct
	case name == "":
		w.untagged = append(w.untagged, fmt.Sprintf("%s.%s", of, f.Name))
	default:
		w.names[name] = true
	}
	w.visit(f.Type, false)
}
