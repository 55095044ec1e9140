package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func floats(t testing.TB, name, dtype string, shape []int, values ...float64) Tensor {
	t.Helper()
	tensor, err := FromFloats(name, dtype, shape, values)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

// sample mixes widths in an order that leaves the F64 unaligned unless data are placed by width.
func sample(t testing.TB) (map[string]string, []Tensor) {
	return map[string]string{"step": "12", "config": `{"hidden":16,"name":"<ü>"}`}, []Tensor{
		{Name: "mask", DType: "BOOL", Shape: []int{3}, Data: []byte{1, 0, 1}},
		floats(t, "layer0/w", "F32", []int{2, 2}, 1, -2.5, math.Inf(1), 0),
		floats(t, "bias", "F64", []int{3}, math.Pi, math.SmallestNonzeroFloat64, -1e300),
		floats(t, "scalar", "F64", []int{}, 7),
		floats(t, "empty", "F32", []int{0, 4}),
		{Name: "seeds", DType: "I64", Shape: []int{1}, Data: binary.LittleEndian.AppendUint64(nil, 42)},
	}
}

func sampleBytes(t testing.TB) []byte {
	metadata, tensors := sample(t)
	return encoded(t, metadata, tensors)
}

func encoded(t testing.TB, metadata map[string]string, tensors []Tensor) []byte {
	t.Helper()
	parts, _, err := encode(metadata, tensors)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join(parts, nil)
}

// frame puts the length before a header written by hand, and data after it.
func frame(header string, data int) []byte {
	content := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(content, header...), make([]byte, data)...)
}

func TestRoundTrip(t *testing.T) {
	metadata, tensors := sample(t)
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := Write(path, metadata, tensors); err != nil {
		t.Fatal(err)
	}
	file, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(metadata, file.Metadata); diff != "" {
		t.Errorf("metadata (-wrote +read):\n%s", diff)
	}
	if diff := cmp.Diff(tensors, file.Tensors, cmp.Comparer(bytes.Equal)); diff != "" {
		t.Errorf("tensors (-wrote +read):\n%s", diff)
	}
	if len(file.SHA256) != 64 {
		t.Errorf("sha256 %q, wanted 64 digits", file.SHA256)
	}
	bias, ok := file.Tensor("bias")
	if !ok {
		t.Fatal("no tensor bias")
	}
	values, err := bias.Floats()
	if diff := cmp.Diff([]float64{math.Pi, math.SmallestNonzeroFloat64, -1e300}, values); diff != "" || err != nil {
		t.Errorf("bias: %v\n%s", err, diff)
	}
	if _, ok := file.Tensor("none"); ok {
		t.Error("found a tensor that is not there")
	}
}

func TestBytesAreDeterministicAlignedAndOrdered(t *testing.T) {
	content := sampleBytes(t)
	for range 20 { // the order of a map differs between runs over it
		if !bytes.Equal(content, sampleBytes(t)) {
			t.Fatal("the same content gave other bytes")
		}
	}
	n := binary.LittleEndian.Uint64(content)
	if n%8 != 0 {
		t.Errorf("header of %d bytes is not a multiple of 8", n)
	}
	header := content[8 : 8+n]
	file, offsets, err := parseHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	for i, tensor := range file.Tensors {
		if offsets[i][0]%widths[tensor.DType] != 0 {
			t.Errorf("%s %s begins at %d, not aligned", tensor.Name, tensor.DType, offsets[i][0])
		}
	}
	if c, s := bytes.Index(header, []byte(`"config"`)), bytes.Index(header, []byte(`"step"`)); c < 0 || s < c {
		t.Errorf("metadata not sorted: config at %d, step at %d", c, s)
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.String(),
			func(s string) string { return strings.ToValidUTF8(s, "?") }).Draw(t, "names")
		metadata := rapid.MapOf(rapid.StringMatching(`[a-z"\\ü]*`), rapid.String()).Draw(t, "metadata")
		var tensors []Tensor
		for _, name := range names {
			if name == metadataKey {
				continue
			}
			dtype := rapid.SampledFrom([]string{"U8", "BF16", "F32", "F64"}).Draw(t, "dtype")
			shape := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(t, "shape")
			size, err := byteSize(dtype, shape)
			if err != nil {
				t.Fatal(err)
			}
			tensors = append(tensors, Tensor{name, dtype, shape, rapid.SliceOfN(rapid.Byte(), size, size).Draw(t,
				"data")})
		}
		parts, sum, err := encode(metadata, tensors)
		if err != nil {
			t.Fatal(err)
		}
		file, err := decode(bytes.Join(parts, nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&File{metadata, tensors, sum}, file, cmp.Comparer(bytes.Equal)); diff != "" {
			t.Fatalf("(-wrote +read):\n%s", diff)
		}
	})
}

func TestEveryTruncationIsCorrupt(t *testing.T) {
	content := sampleBytes(t)
	path := filepath.Join(t.TempDir(), "cut")
	for n := range content {
		if err := os.WriteFile(path, content[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("%d of %d bytes: got %v, wanted ErrCorrupt with the path", n, len(content), err)
		}
	}
}

// TestEveryFlippedBit covers header, names, metadata and data: only the spaces that pad the header and digits in
// the spelling of an escape may change without changing the content.
func TestEveryFlippedBit(t *testing.T) {
	content := sampleBytes(t)
	want, err := decode(content)
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		for bit := range 8 {
			content[i] ^= 1 << bit
			got, err := decode(content)
			content[i] ^= 1 << bit
			if err == nil {
				if got.SHA256 == "" { // the key of the checksum itself was hit: the file reads as one without
					if _, ok := got.Metadata[sumKey]; ok || len(got.Metadata) != len(want.Metadata)+1 {
						t.Errorf("byte %d bit %d: checksum lost", i, bit)
					}
				} else if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("byte %d bit %d: read with other content:\n%s", i, bit, diff)
				}
			} else if !errors.Is(err, ErrCorrupt) {
				t.Errorf("byte %d bit %d: got %v, wanted ErrCorrupt", i, bit, err)
			}
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	absurd := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), "{}"...) }
	one := `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	with := func(old, replacement string) string { return strings.Replace(one, old, replacement, 1) }
	two := func(begin, end int) string {
		return fmt.Sprintf(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[%d,%d]}}`, begin, end)
	}
	if _, err := decode(frame(one, 8)); err != nil {
		t.Fatalf("the sound file: %v", err)
	}
	if _, err := decode(frame(two(4, 8), 8)); err != nil {
		t.Fatalf("the sound file of two: %v", err)
	}
	for name, content := range map[string][]byte{
		"nothing":                  {},
		"header longest":           absurd(math.MaxUint64),
		"header negative":          absurd(1 << 63),
		"header beyond file":       absurd(3),
		"header beyond allowed":    absurd(maxHeader + 1),
		"header empty":             frame("", 8),
		"not JSON":                 frame(one[1:], 8),
		"JSON cut":                 frame(one[:len(one)-1], 8),
		"JSON followed":            frame(one+"x", 8),
		"JSON list":                frame("[]", 0),
		"leading space":            frame(" "+one, 8),
		"not UTF-8":                frame(with("a", "\xff"), 8),
		"tensor not an object":     frame(`{"a":1}`, 0),
		"tensor null":              frame(`{"a":null}`, 0),
		"dtype unknown":            frame(with("F32", "F33"), 8),
		"dtype a number":           frame(with(`"F32"`, "32"), 8),
		"dtype missing":            frame(with(`"dtype":"F32",`, ""), 8),
		"shape missing":            frame(with(`"shape":[2],`, ""), 8),
		"offsets missing":          frame(with(`,"data_offsets":[0,8]`, ""), 8),
		"field unknown":            frame(with(`"dtype"`, `"stride":1,"dtype"`), 8),
		"shape null":               frame(with("[2]", "null"), 8),
		"shape of null":            frame(with("[2]", "[null]"), 8),
		"shape negative":           frame(with("[2]", "[-2]"), 8),
		"shape twice negative":     frame(with("[2]", "[-2,-1]"), 8),
		"shape not whole":          frame(with("[2]", "[2.5]"), 8),
		"shape overflows to 8":     frame(with("[2]", "[2,9223372036854775809]"), 8),
		"product overflows":        frame(with("[2]", "[4294967296,4294967296,4]"), 8),
		"shape larger than bytes":  frame(with("[2]", "[3]"), 8),
		"shape smaller than bytes": frame(with("[2]", "[1]"), 8),
		"one offset":               frame(with("[0,8]", "[8]"), 8),
		"offsets reversed":         frame(with("[0,8]", "[8,0]"), 8),
		"offset negative":          frame(with("[0,8]", "[-8,0]"), 8),
		"offsets beyond data":      frame(with("[0,8]", "[8,16]"), 8),
		"offset huge":              frame(with("[0,8]", "[0,9223372036854775807]"), 8),
		"offset null":              frame(with("[0,8]", "[null,8]"), 8),
		"overlap":                  frame(two(2, 6), 6),
		"same bytes":               frame(two(0, 4), 4),
		"gap":                      frame(two(5, 9), 9),
		"data after the end":       frame(one, 9),
		"data without tensors":     frame("{}", 1),
		"name twice":               frame(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0),
		"name twice, one escaped":  frame(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0),
		"field twice":              frame(with(`"dtype"`, `"dtype":"F32","dtype"`), 8),
		"metadata twice":           frame(`{"__metadata__":{},"__metadata__":{}}`, 0),
		"metadata key twice":       frame(`{"__metadata__":{"a":"1","a":"2"}}`, 0),
		"metadata a number":        frame(`{"__metadata__":{"a":1}}`, 0),
		"metadata null":            frame(`{"__metadata__":{"a":null}}`, 0),
		"metadata a list":          frame(`{"__metadata__":[]}`, 0),
		"checksum of other data":   frame(`{"__metadata__":{"pengcde.sha256":"00"}}`, 0),
	} {
		t.Run(name, func(t *testing.T) {
			if file, err := decode(content); !errors.Is(err, ErrCorrupt) {
				t.Errorf("got %v, %v, wanted ErrCorrupt", file, err)
			}
		})
	}
}

func TestOtherWriters(t *testing.T) {
	// Another order of data than of the header, no metadata, spaces, an empty tensor between others.
	file, err := decode(frame(`{ "b": {"shape": [1], "dtype": "F32", "data_offsets": [8, 12]},
		"e": {"dtype": "F64", "shape": [0], "data_offsets": [8, 8]},
		"a": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]} }  `, 12))
	if err != nil {
		t.Fatal(err)
	}
	if file.SHA256 != "" || file.Metadata == nil || len(file.Tensors) != 3 || file.Tensors[0].Name != "b" ||
		len(file.Tensors[0].Data) != 4 {
		t.Errorf("got %+v", file)
	}

	// The checksum holds for the same content in another order.
	metadata, tensors := sample(t)
	_, first, err := encode(metadata, tensors)
	if err != nil {
		t.Fatal(err)
	}
	tensors[0], tensors[3] = tensors[3], tensors[0]
	_, second, err := encode(metadata, tensors)
	if err != nil || first != second {
		t.Errorf("checksums %s and %s differ by order, %v", first, second, err)
	}
}

func TestReadErrorsThatAreNotCorrupt(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, ErrCorrupt) {
		t.Errorf("missing file: got %v, wanted fs.ErrNotExist", err)
	}
	if _, err := Read(t.TempDir()); err == nil || errors.Is(err, ErrCorrupt) {
		t.Errorf("folder: got %v, wanted an error other than ErrCorrupt", err)
	}
}

func TestFloats(t *testing.T) {
	narrow := floats(t, "x", "F32", []int{4}, 0.1, math.NaN(), math.Inf(-1), math.MaxFloat32)
	got, err := narrow.Floats()
	if err != nil || got[0] != float64(float32(0.1)) || !math.IsNaN(got[1]) || !math.IsInf(got[2], -1) ||
		got[3] != math.MaxFloat32 {
		t.Errorf("got %v, %v", got, err)
	}
	for name, err := range map[string]error{
		"beyond F32":      second(FromFloats("x", "F32", []int{1}, []float64{1e39})),
		"dtype":           second(FromFloats("x", "I64", []int{1}, []float64{1})),
		"too many values": second(FromFloats("x", "F64", []int{1}, []float64{1, 2})),
		"negative shape":  second(FromFloats("x", "F64", []int{-1}, nil)),
		"read I64":        second(Tensor{DType: "I64", Shape: []int{0}}.Floats()),
		"read cut data":   second(Tensor{DType: "F32", Shape: []int{1}, Data: make([]byte, 3)}.Floats()),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: got %v, wanted ErrInvalid", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzRead(f *testing.F) {
	content := sampleBytes(f)
	f.Add(content)
	f.Add(content[:len(content)/2])
	f.Add(frame("{}", 0))
	f.Add(frame(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   `, 8))
	f.Add(frame(`{"__metadata__":{"k":"v"},"a":{"dtype":"BF16","shape":[0,9],"data_offsets":[0,0]}}`, 0))
	f.Add(frame(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := decode(content)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v, wanted ErrCorrupt", err)
			}
			return
		}
		again, err := decode(encoded(t, file.Metadata, file.Tensors))
		if err != nil {
			t.Fatal(err)
		}
		file.SHA256 = again.SHA256
		if diff := cmp.Diff(file, again, cmp.Comparer(bytes.Equal)); diff != "" {
			t.Fatalf("written again (-first +second):\n%s", diff)
		}
	})
}
