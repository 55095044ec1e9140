package hlo

import (
	"errors"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A program that XLA compiled for an H200: states at save times are a product with coefficients.
func TestCountOfACompiledProgram(t *testing.T) {
	content, err := os.ReadFile("testdata/save.pb")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	got := m.Count()
	want := Count{Kernels: 3, Library: 1, Launches: 3, MultiplyAdds: 204800, Bytes: got.Bytes}
	if m.Name != "ode_save_1" || got != want {
		t.Errorf("%s has %+v, want %+v", m.Name, got, want)
	}
	if got.Bytes < 4*3*4*100*16 || got.Bytes > 1<<20 {
		t.Errorf("%d bytes are read and written, want those of a few states, without the workspace of a library", got.Bytes)
	}
	for size := range content {
		if m, err := Parse(content[:size]); err != nil && !errors.Is(err, ErrProto) {
			t.Errorf("error %v, want %v", err, ErrProto)
		} else if err == nil {
			m.Count() // must not panic, wherever the content was cut off
		}
	}
}

// message writes fields of protocol buffers: numbers, texts and messages.
func message(parts ...any) (b []byte) {
	for i := 0; i < len(parts); i += 2 {
		field := protowire.Number(parts[i].(int))
		switch v := parts[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
		}
	}
	return b
}

// floats is the shape of an array of float32.
func floats(dims ...int) []byte {
	b := message(2, 11)
	for _, dim := range dims {
		b = append(b, message(3, dim)...)
	}
	return b
}

// A loop of five iterations has a fusion with a scatter and a product in it, and a fusion that reads two rows of a
// matrix.
func TestCountOfALoop(t *testing.T) {
	scattering := message(1, "scattering", 5, 3,
		2, message(1, "p", 2, "parameter", 3, floats(8, 4), 9, 0, 35, 1),
		2, message(1, "dot", 2, "dot", 3, floats(8, 8), 30, message(1, 1), 35, 2, 36, 1, 36, 1),
		2, message(1, "s", 2, "scatter", 3, floats(8, 8), 35, 3, 36, 2))
	rows := message(1, "rows", 5, 4,
		2, message(1, "p", 2, "parameter", 3, floats(100, 4), 9, 0, 35, 1),
		2, message(1, "g", 2, "gather", 3, floats(2, 4), 35, 2, 36, 1))
	body := message(1, "body", 5, 2,
		2, message(1, "state", 2, "parameter", 3, floats(8, 4), 35, 1),
		2, message(1, "table", 2, "constant", 3, floats(100, 4), 35, 2),
		2, message(1, "f", 2, "fusion", 3, floats(8, 8), 35, 3, 36, 1, 38, 3),
		2, message(1, "g", 2, "fusion", 3, floats(2, 4), 35, 4, 36, 2, 38, 4))
	condition := message(1, "condition", 5, 5,
		2, message(1, "c", 2, "compare", 3, message(2, 1), 35, 1))
	entry := message(1, "main", 5, 1,
		2, message(1, "x", 2, "parameter", 3, floats(8, 4), 35, 1),
		2, message(1, "loop", 2, "while", 3, floats(8, 4), 35, 2, 36, 1, 38, 2, 38, 5,
			43, `{"known_trip_count":{"n":"5"}}`),
		2, message(1, "copy", 2, "copy", 3, floats(8, 4), 35, 3, 36, 2))
	module := message(1, "program", 6, 1, 3, entry, 3, body, 3, scattering, 3, rows, 3, condition)
	m, err := Parse(message(1, module))
	if err != nil {
		t.Fatal(err)
	}
	const fusions, comparison, copied = 4 * (32 + 64 + 8 + 8), 1, 4 * (32 + 32)
	want := Count{Kernels: 4, Scatters: 1, Launches: 1 + 5*3, Bytes: 5*(fusions+comparison) + copied,
		MultiplyAdds: 5 * 8 * 8 * 4}
	if got := m.Count(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestNoProgram(t *testing.T) {
	for _, content := range [][]byte{nil, {1}, []byte("HloModule text"), message(1, message(1, "no computations"))} {
		if m, err := Parse(content); m != nil || !errors.Is(err, ErrProto) {
			t.Errorf("%q is %v, %v, want %v", content, m, err, ErrProto)
		}
	}
}
