package xla

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of XLA's CompileOptionsProto and of the messages in it.
const (
	buildOptions    = 3 // ExecutableBuildOptionsProto
	deviceOrdinal   = 1
	replicas        = 4
	partitions      = 5
	portable        = 4
	flagOverrides   = 7 // a map from names of flags to OptionOverrideProto
	mapKey          = 1
	mapValue        = 2
	overrideString  = 1
	overrideBoolean = 2
	overrideInteger = 3
)

// oneDevice returns a CompileOptionsProto for a program on any one device, the same as go-xla's.
func oneDevice() []byte {
	var build []byte
	for _, option := range []struct {
		field protowire.Number
		value int64
	}{{deviceOrdinal, -1}, {replicas, 1}, {partitions, 1}} {
		build = protowire.AppendVarint(protowire.AppendTag(build, option.field, protowire.VarintType), uint64(option.value))
	}
	options := protowire.AppendBytes(protowire.AppendTag(nil, buildOptions, protowire.BytesType), build)
	return protowire.AppendVarint(protowire.AppendTag(options, portable, protowire.VarintType), 1)
}

// overrides returns the fields of a CompileOptionsProto that set XLA's flags for one program. Protocol buffers are
// merged by concatenation.
func overrides(flags map[string]any) (fields []byte) {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		var value []byte
		switch v := flags[name].(type) {
		case string:
			value = protowire.AppendString(protowire.AppendTag(value, overrideString, protowire.BytesType), v)
		case bool:
			value = protowire.AppendTag(value, overrideBoolean, protowire.VarintType)
			value = protowire.AppendVarint(value, protowire.EncodeBool(v))
		case int:
			value = protowire.AppendTag(value, overrideInteger, protowire.VarintType)
			value = protowire.AppendVarint(value, uint64(v))
		default:
			panic(fmt.Errorf("xla: flag %s is a %T, want a string, bool or int", name, v))
		}
		entry := protowire.AppendString(protowire.AppendTag(nil, mapKey, protowire.BytesType), name)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, mapValue, protowire.BytesType), value)
		fields = protowire.AppendBytes(protowire.AppendTag(fields, flagOverrides, protowire.BytesType), entry)
	}
	return fields
}
