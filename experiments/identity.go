package experiments

import (
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"reflect"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// canonicalJSON returns a value in its JSON form with all fields, including zeros, except fields excluded by the tags
// "-" and omitzero. Fields are named by their JSON tags, so renaming a Go field changes no identity. Every field of a
// type in an identity needs a tag. A field that is added later also needs omitzero, to keep the identities of stored
// runs.
func canonicalJSON(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		if name, err := text.MarshalText(); err == nil {
			return string(name)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return canonicalJSON(v.Elem())
	case reflect.Struct:
		fields := make(map[string]any)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" || option == "omitzero" && v.Field(i).IsZero() {
				continue
			}
			fields[cmp.Or(name, f.Name)] = canonicalJSON(v.Field(i))
		}
		return fields
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = canonicalJSON(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// Digest returns a hash of everything in a series that a forecast can depend on, as float32. It is used in the
// identity of a run.
func Digest(s *dyngraph.Series) string {
	digest := sha256.New()
	fmt.Fprintln(digest, s.Nodes(), s.FeatureSize, s.TargetSize, s.Alignment, s.Lagged)
	for _, list := range [][]int32{s.Pattern.From, s.Pattern.To} {
		writeWords(digest, list, func(i int32) uint32 { return uint32(i) })
	}
	for _, rows := range [][][]float64{{s.Times}, s.Weights, s.Features, s.Targets, s.LastObserved, s.RecentMean} {
		fmt.Fprintln(digest, len(rows))
		for _, row := range rows {
			writeWords(digest, row, func(x float64) uint32 { return math.Float32bits(float32(x)) })
		}
	}
	for _, t := range s.Times { // most are whole numbers
		if float64(float32(t)) != t {
			fmt.Fprintln(digest, math.Float64bits(t))
		}
	}
	return hex.EncodeToString(digest.Sum(nil)[:16])
}

func writeWords[T any](digest hash.Hash, list []T, word func(T) uint32) {
	bytes := binary.LittleEndian.AppendUint32(nil, uint32(len(list)))
	for _, x := range list {
		bytes = binary.LittleEndian.AppendUint32(bytes, word(x))
	}
	digest.Write(bytes)
}
