// Package safetensors reads and writes named arrays in the safetensors format, which Python's safetensors opens:
//
//	8 bytes        length of the header, little-endian
//	header         JSON: {"__metadata__": {string: string}, name: {"dtype", "shape", "data_offsets": [begin, end]}}
//	data           the arrays, row-major and little-endian, without gaps; offsets count from the start of the data
//
// Start with [Write], [Read] and [FromFloats]. Write replaces a file atomically, so a reader or a crash sees either the
// old file or the new file. It adds a sha256 over names, types, shapes, values and metadata, which Read checks if
// present. The sha256 does not depend on the order of the arrays in the file: a copy by another program that keeps the
// metadata stays valid.
//
// Reference: https://huggingface.co/docs/safetensors/index#format. Limits: types narrower than a byte (F4, F6) are not
// read; a whole file is held in memory; a process killed in Write can leave its temporary file ".<name><number>".
package safetensors

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrCorrupt is wrapped by the errors of Read for a file that is cut short, altered or not in the safetensors format.
var ErrCorrupt = errors.New("corrupt file")

// ErrInvalid is wrapped by errors about arguments that cannot be stored or converted.
var ErrInvalid = errors.New("invalid tensor or metadata")

const (
	metadataKey = "__metadata__"
	// sumKey is the entry of the metadata that holds the checksum in hexadecimal.
	sumKey = "pengcde.sha256"
	// maxHeader is the longest header in bytes that Python's safetensors accepts.
	maxHeader = 100_000_000
)

// widths are the bytes per entry of each type.
var widths = map[string]int{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
	"U16": 2, "I16": 2, "F16": 2, "BF16": 2,
	"U32": 4, "I32": 4, "F32": 4,
	"U64": 8, "I64": 8, "F64": 8, "C64": 8,
}

// Tensor is a named array.
type Tensor struct {
	Name  string
	DType string // as the format names it: "F32", "F64", "I64", ...
	Shape []int  // no entries for a scalar
	Data  []byte // row-major, little-endian, as many bytes as DType and Shape say
}

// File is the content of a file.
type File struct {
	Metadata map[string]string // without the checksum; empty, never nil, where the file has none
	Tensors  []Tensor          // in the order of the header, which is the order given to Write
	SHA256   string            // the verified checksum, "" if the file has none
}

// Tensor returns the tensor of that name and whether there is one.
func (f *File) Tensor(name string) (Tensor, bool) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// byteSize is the number of bytes that an array takes.
func byteSize(dtype string, shape []int) (int, error) {
	size, ok := widths[dtype]
	if !ok {
		return 0, fmt.Errorf("dtype %q is not known", dtype)
	}
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has a negative entry", shape)
		}
		if d > 0 && size > math.MaxInt/d {
			return 0, fmt.Errorf("shape %v has more bytes than an int counts", shape)
		}
		size *= d
	}
	return size, nil
}

// check returns an error if t is invalid, taking it to have length bytes of data.
func (t Tensor) check(length int) error {
	size, err := byteSize(t.DType, t.Shape)
	if err == nil && size != length {
		err = fmt.Errorf("got %d bytes of data, %s%v needs %d", length, t.DType, t.Shape, size)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", t.Name, err)
	}
	return nil
}

// digest is the checksum of metadata (not nil, without sumKey) and tensors: sha256 over one line of JSON for the
// metadata and, by ascending name, one for each tensor, followed by its data.
func digest(metadata map[string]string, tensors []Tensor) string {
	tensors = slices.Clone(tensors)
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	hash := sha256.New()
	lines := json.NewEncoder(hash)
	_ = lines.Encode(metadata) // strings and whole numbers always have JSON
	for _, t := range tensors {
		_ = lines.Encode([]any{t.Name, t.DType, append([]int{}, t.Shape...)})
		hash.Write(t.Data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
