package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// maxFile is the largest size of a file in bytes, unless the environment sets another limit ([bounded.Env]).
const maxFile = 4 << 30

// Read returns the content of the file at path. Its error wraps ErrCorrupt if the file is truncated, not in the format
// or does not match its checksum, fs.ErrNotExist if it is missing, [bounded.ErrTooLarge] if it has more than 4 GiB, and
// is a [*bounded.KindError] if path is not a regular file.
func Read(path string) (*File, error) {
	content, err := bounded.ReadFile(path, bounded.Limit{Default: maxFile})
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	file, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w", path, err)
	}
	return file, nil
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// decode reads the content of a file, which the data of the tensors share.
func decode(content []byte) (*File, error) {
	if len(content) < 8 {
		return nil, corrupt("got %d bytes, wanted 8 for the length of the header", len(content))
	}
	n, rest := binary.LittleEndian.Uint64(content), content[8:]
	if n > maxHeader || n > uint64(len(rest)) {
		return nil, corrupt("header of %d bytes, but %d bytes follow and at most %d are allowed", n, len(rest),
			maxHeader)
	}
	file, offsets, err := parseHeader(rest[:n])
	if err != nil {
		return nil, err
	}
	data := rest[n:]
	if err := checkLayout(file.Tensors, offsets, len(data)); err != nil {
		return nil, err
	}
	for i, at := range offsets {
		file.Tensors[i].Data = data[at[0]:at[1]:at[1]]
	}
	want, ok := file.Metadata[sumKey]
	if !ok {
		return file, nil
	}
	delete(file.Metadata, sumKey)
	if file.SHA256 = digest(file.Metadata, file.Tensors); file.SHA256 != want {
		return nil, corrupt("content has sha256 %s, wanted %q", file.SHA256, want)
	}
	return file, nil
}

// parseHeader returns metadata and tensors, still without data, and the data_offsets of each tensor.
func parseHeader(header []byte) (*File, [][]int, error) {
	if !json.Valid(header) || !utf8.Valid(header) || header[0] != '{' {
		return nil, nil, corrupt("header is not a JSON object in UTF-8")
	}
	file, offsets := &File{Metadata: map[string]string{}}, [][]int{}
	names, bodies, err := members(header)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		keys, fields, err := members(bodies[name])
		if err != nil {
			return nil, nil, err
		}
		if name == metadataKey {
			for _, key := range keys {
				var text string
				if err := strict(fields[key], &text); err != nil {
					return nil, nil, corrupt("metadata %q: %v", key, err)
				}
				file.Metadata[key] = text
			}
			continue
		}
		t, at := Tensor{Name: name}, []int{}
		err = errors.Join(strict(fields["dtype"], &t.DType), strict(fields["shape"], &t.Shape),
			strict(fields["data_offsets"], &at))
		if err != nil || len(keys) != 3 || len(at) != 2 {
			return nil, nil, corrupt("%q: got %.200s, wanted dtype, shape and a pair of data_offsets", name,
				bodies[name])
		}
		file.Tensors, offsets = append(file.Tensors, t), append(offsets, at)
	}
	return file, offsets, nil
}

// members returns the keys of a JSON object in their order and the value of each. It refuses a repeated key, of which
// encoding/json would keep the last.
func members(object []byte) (keys []string, values map[string]json.RawMessage, err error) {
	in := json.NewDecoder(bytes.NewReader(object))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return nil, nil, corrupt("header has %.200s in the place of an object", object)
	}
	values = map[string]json.RawMessage{}
	for in.More() {
		token, err := in.Token()
		key, _ := token.(string)
		if _, twice := values[key]; err != nil || twice {
			return nil, nil, corrupt("header has %q twice in an object", key)
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, nil, corrupt("%q: %v", key, err)
		}
		keys, values[key] = append(keys, key), value
	}
	return keys, values, nil
}

// strict is json.Unmarshal that refuses null, which would leave a zero value.
func strict(value json.RawMessage, into any) error {
	if len(value) > 0 && value[0] != '"' && bytes.Contains(value, []byte("null")) {
		return errors.New("got null")
	}
	return json.Unmarshal(value, into)
}

// checkLayout checks that the tensors have the bytes that they need and cover the data without overlap or gap.
func checkLayout(tensors []Tensor, offsets [][]int, size int) error {
	covered := 0
	for _, i := range inOrder(len(tensors), func(a, b int) int { return slices.Compare(offsets[a], offsets[b]) }) {
		t, begin, end := tensors[i], offsets[i][0], offsets[i][1]
		if begin < 0 || end < begin || end > size {
			return corrupt("%q: bytes [%d, %d) are outside of the %d bytes of data", t.Name, begin, end, size)
		}
		if begin != covered {
			return corrupt("%q: data begin at %d, the data before end at %d", t.Name, begin, covered)
		}
		if err := t.check(end - begin); err != nil {
			return corrupt("%v", err)
		}
		covered = end
	}
	if covered != size {
		return corrupt("%d bytes of data, of which the tensors take %d", size, covered)
	}
	return nil
}

// inOrder are the numbers 0..n-1, sorted.
func inOrder(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}
