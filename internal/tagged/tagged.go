// Package tagged finds fields without a name from a JSON tag in types whose JSON is stored: renaming such a field would
// lose its stored value.
package tagged

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Fields returns the names in JSON of all exported fields of values, and of the values inside them, and the fields
// without a name from a tag, as "package.Type.Field". It skips values that write their own text or JSON, and fields
// that are not stored.
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

// visit looks at a type. Types that write their own JSON are skipped unless named is set: a named value's JSON may be
// made of its fields even then.
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
	case f.Anonymous && name == "": // its fields count as the struct's own
	case name == "":
		w.untagged = append(w.untagged, fmt.Sprintf("%s.%s", of, f.Name))
	default:
		w.names[name] = true
	}
	w.visit(f.Type, false)
}
