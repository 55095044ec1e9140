package experiments

import (
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments/store"
)

// canonicalJSON returns a value in its JSON form with all fields, including zeros, except fields excluded by the tags
// "-" and omitzero. Fields are named by their JSON tags and ordered by name, so renaming or moving a Go field changes
// no identity. Every field of a type in an identity needs a tag. A field that is added later also needs omitzero, to
// keep the identities of stored runs.
func canonicalJSON(v reflect.Value) (store.Canonical, error) {
	return appendCanonical(make([]byte, 0, 512), v)
}

func appendCanonical(text []byte, v reflect.Value) (store.Canonical, error) {
	if !v.IsValid() {
		return append(text, "null"...), nil
	}
	if named, ok := v.Interface().(encoding.TextMarshaler); ok {
		if name, err := named.MarshalText(); err == nil {
			return appendJSON(text, string(name))
		}
	}
	var err error
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return appendCanonical(text, v.Elem())
	case reflect.Struct:
		text = append(text, '{')
		empty := len(text)
		for _, f := range fieldsOf(v.Type()) {
			if f.omitZero && v.Field(f.index).IsZero() {
				continue
			}
			if len(text) > empty {
				text = append(text, ',')
			}
			if text, err = appendCanonical(append(text, f.name...), v.Field(f.index)); err != nil {
				return nil, err
			}
		}
		return append(text, '}'), nil
	case reflect.Slice, reflect.Array:
		text = append(text, '[')
		for i := range v.Len() {
			if i > 0 {
				text = append(text, ',')
			}
			if text, err = appendCanonical(text, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(text, ']'), nil
	}
	return appendJSON(text, v.Interface())
}

func appendJSON(text []byte, value any) (store.Canonical, error) {
	written, err := json.Marshal(value)
	return append(text, written...), err
}

// canonicalField is a field of a struct, with its name as JSON writes it before a value.
type canonicalField struct {
	index    int
	name     string
	omitZero bool
}

// canonicalFields holds the fields of types, by [reflect.Type]: they are the same for thousands of runs.
var canonicalFields sync.Map

// fieldsOf returns the fields of a struct that are in its canonical form, ordered by name.
func fieldsOf(t reflect.Type) []canonicalField {
	if known, ok := canonicalFields.Load(t); ok {
		return known.([]canonicalField)
	}
	fields := []canonicalField{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "-" {
			fields = append(fields, canonicalField{i, fmt.Sprintf("%q:", cmp.Or(name, f.Name)), option == "omitzero"})
		}
	}
	slices.SortFunc(fields, func(a, b canonicalField) int { return cmp.Compare(a.name, b.name) })
	canonicalFields.Store(t, fields)
	return fields
}

// Digest returns a hash of everything in a series that a forecast can depend on, as float32, without names, dates and
// [dyngraph.Series.Scales]. It is used in the identity of a run.
func Digest(s *dyngraph.Series) string {
	digest := sha256.New()
	fmt.Fprintln(digest, s.Nodes(), s.FeatureSize, s.TargetSize, s.Alignment, s.Lagged)
	for _, list := range [][]int32{s.Pattern.From, s.Pattern.To} {
		writeWords(digest, list, func(i int32) uint32 { return uint32(i) })
	}
	for _, rows := range [][][]float64{{s.Times}, s.Weights, s.Features, s.Targets, s.LastObserved, s.RecentMean} {
		fmt.Fprintln(digest, len(rows))
		for _, row := range rows {
			writeWords(digest, row, bits)
		}
	}
	for _, t := range s.Times { // most are whole numbers
		if float64(float32(t)) != t {
			fmt.Fprintln(digest, math.Float64bits(t))
		}
	}
	digestSeldomSet(digest, s)
	return hex.EncodeToString(digest.Sum(nil)[:16])
}

// digestSeldomSet adds the fields that few series set, each with its name and only if it is set: stored runs of the
// other series keep their identities.
func digestSeldomSet(digest hash.Hash, s *dyngraph.Series) {
	if s.Present != nil {
		fmt.Fprintln(digest, "present", s.Present)
	}
	if s.EachStep {
		fmt.Fprintln(digest, "each step")
	}
	if s.GraphTargets != nil {
		fmt.Fprintln(digest, "graph targets", len(s.GraphTargets))
		for _, row := range s.GraphTargets {
			writeWords(digest, row, bits)
		}
	}
	if s.Classes != 0 {
		fmt.Fprintln(digest, "classes", s.Classes)
	}
	digestAffinities(digest, "affinities", s.Affinities)
	digestAffinities(digest, "prior", s.Prior)
}

func digestAffinities(digest hash.Hash, name string, snapshots []*dyngraph.Affinities) {
	if snapshots == nil {
		return
	}
	fmt.Fprintln(digest, name, len(snapshots))
	for _, a := range snapshots {
		if a == nil {
			fmt.Fprintln(digest, "none")
			continue
		}
		fmt.Fprintln(digest, a.Terms, a.Start, a.Nodes, a.Classes)
		writeWords(digest, a.Values, bits)
	}
}

func bits(x float64) uint32 { return math.Float32bits(float32(x)) }

func writeWords[T any](digest hash.Hash, list []T, word func(T) uint32) {
	bytes := binary.LittleEndian.AppendUint32(make([]byte, 0, 4*(len(list)+1)), uint32(len(list)))
	for _, x := range list {
		bytes = binary.LittleEndian.AppendUint32(bytes, word(x))
	}
	digest.Write(bytes)
}
