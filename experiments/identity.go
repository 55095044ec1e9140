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
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// identity is all that decides the outcome of a run but backend and generation: every value resolved, so that a changed
// default makes another run of it. Windows are listed, not the rule by which they are dealt. The digest is that of the
// series, of which an outline will do.
func (e Forecasting) identity(series *dyngraph.Series, digest string, t task) (any, error) {
	split, err := e.split(series, t.Setting, t.Seed, t.Fold)
	if err != nil {
		return nil, err
	}
	all := map[string]any{
		"series": series.Name, "data": digest, "row": t.Setting.ID, "split": t.Setting.Split, "seed": t.Seed, "fold": t.Fold,
		"training": intervals(split.Train), "validation": intervals(split.Validation), "test": intervals(split.Test),
	}
	if t.Setting.Model == nil {
		if h := t.Setting.Heuristic; h != nil {
			all["forecast"] = map[string]any{"name": h.Name(), "settings": settings(h)}
		}
		return all, nil
	}
	all["initial"] = t.initial()
	return all, trained(all, *t.Setting.Model, t.Setting.Train)
}

// identity is that of a run in a world; see [Forecasting].identity.
func (e Worlds) identity(t worldTask) (any, error) {
	var sets []json.RawMessage
	for _, config := range t.sets() {
		set, err := config.Identity()
		if err != nil {
			return nil, err
		}
		sets = append(sets, json.RawMessage(set))
	}
	config := t.Model.Model
	config.Nodes = t.World.Nodes
	all := map[string]any{"sets": sets, "row": t.Model.ID, "seed": t.Seed}
	return all, trained(all, config, t.Model.Train)
}

// trained adds what decides the training of a model, but for its seed.
func trained(all map[string]any, model pengcde.Config, config train.Config) error {
	resolved, err := model.Resolved()
	if err != nil {
		return err
	}
	if config, err = config.Resolved(); err != nil {
		return err
	}
	all["model"], all["train"] = explicit(reflect.ValueOf(resolved)), explicit(reflect.ValueOf(config))
	return nil
}

// intervals are the first and last snapshots of windows, in order.
func intervals(windows []dyngraph.Window) [][2]int {
	all := make([][2]int, len(windows))
	for i, w := range windows {
		all[i] = [2]int{w.Start, w.Last()}
	}
	return all
}

// explicit is a value as JSON has it, but with all fields, zeros too, that are not excluded by the tags "-" and
// omitzero.
func explicit(v reflect.Value) any {
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
		return explicit(v.Elem())
	case reflect.Struct:
		fields := make(map[string]any)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" || option == "omitzero" && v.Field(i).IsZero() {
				continue
			}
			fields[cmp.Or(name, f.Name)] = explicit(v.Field(i))
		}
		return fields
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = explicit(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// digestOf is a hash of what a series holds that a forecast can depend on, as float32.
func digestOf(s *dyngraph.Series) string {
	digest := sha256.New()
	fmt.Fprintln(digest, s.Nodes(), s.FeatureSize, s.TargetSize, s.Steps, s.Lagged)
	for _, list := range [][]int32{s.Pattern.From, s.Pattern.To} {
		writeWords(digest, list, func(i int32) uint32 { return uint32(i) })
	}
	for _, rows := range [][][]float64{{s.Times}, s.Weights, s.Features, s.Targets, s.Newest, s.Recent} {
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

// settings are the fields of a forecast without a model.
func settings(h baseline.Forecaster) any {
	if ridge, ok := h.(*baseline.Ridge); ok {
		h = ridge.Resolved()
	}
	if v := reflect.Indirect(reflect.ValueOf(h)); v.Kind() == reflect.Struct {
		return explicit(v)
	}
	return struct{}{}
}
