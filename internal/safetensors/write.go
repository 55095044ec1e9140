package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/peng-cde/pengcde-go/internal/durable"
)

// Write puts metadata and tensors into the file at path as [durable.Replace] does, after it has read the temporary file
// back. The same arguments give the same bytes. Arguments that no file can hold give an error that wraps ErrInvalid.
//
// The header lists tensors in the given order; in the data wider types come first, so that each array is aligned for
// its type.
func Write(path string, metadata map[string]string, tensors []Tensor) error {
	err := write(path, metadata, tensors, func(w io.Writer) io.Writer { return w })
	if err != nil {
		return fmt.Errorf("safetensors: writing %s: %w", path, err)
	}
	return nil
}

// write is Write with all bytes passing through a writer that a test may let fail or lie.
func write(path string, metadata map[string]string, tensors []Tensor, through func(io.Writer) io.Writer) error {
	parts, sum, err := encode(metadata, tensors)
	if err != nil {
		return err
	}
	return durable.Replace(path, func(w io.Writer) error {
		out := through(w)
		for _, part := range parts {
			if _, err := out.Write(part); err != nil {
				return err
			}
		}
		return nil
	}, func(temporary string) error {
		back, err := Read(temporary)
		if err == nil && back.SHA256 != sum {
			err = corrupt("got sha256 %q, wrote %q", back.SHA256, sum)
		}
		if err != nil {
			return fmt.Errorf("reading it back: %w", err)
		}
		return nil
	})
}

// encode returns the bytes of a file, header and then the data part by part, and the checksum.
func encode(metadata map[string]string, tensors []Tensor) (parts [][]byte, sum string, err error) {
	offsets, data, err := layOut(tensors)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	entries := map[string]string{}
	for key, value := range metadata {
		if key == sumKey || !utf8.ValidString(key) || !utf8.ValidString(value) {
			return nil, "", fmt.Errorf("%w: metadata %q: %q: the key %s is reserved, and text must be UTF-8",
				ErrInvalid, key, value, sumKey)
		}
		entries[key] = value
	}
	sum = digest(entries, tensors)
	entries[sumKey] = sum

	header := bytes.NewBuffer(make([]byte, 8))
	put := func(before, key string, value any) {
		name, _ := json.Marshal(key)
		body, _ := json.Marshal(value) // sorts the keys of a map
		fmt.Fprintf(header, "%s%s:%s", before, name, body)
	}
	put("{", metadataKey, entries)
	for i, t := range tensors {
		put(",", t.Name, struct {
			DType   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}{t.DType, append([]int{}, t.Shape...), offsets[i]})
	}
	header.WriteByte('}')
	for header.Len()%8 != 0 {
		header.WriteByte(' ')
	}
	length := header.Len() - 8
	if length > maxHeader {
		return nil, "", fmt.Errorf("%w: names and metadata take %d bytes, at most %d can be read", ErrInvalid, length,
			maxHeader)
	}
	binary.LittleEndian.PutUint64(header.Bytes(), uint64(length))
	return append([][]byte{header.Bytes()}, data...), sum, nil
}

// layOut checks the tensors and returns where the data of each begin and end, and the data in the order of the file.
func layOut(tensors []Tensor) (offsets [][2]int, data [][]byte, err error) {
	seen := map[string]bool{metadataKey: true}
	for _, t := range tensors {
		if err := t.check(len(t.Data)); err != nil {
			return nil, nil, err
		}
		if seen[t.Name] || !utf8.ValidString(t.Name) {
			return nil, nil, fmt.Errorf("name %q is used twice, reserved or not UTF-8", t.Name)
		}
		seen[t.Name] = true
	}
	offsets = make([][2]int, len(tensors))
	end := 0
	wider := func(a, b int) int { return cmp.Compare(widths[tensors[b].DType], widths[tensors[a].DType]) }
	for _, i := range inOrder(len(tensors), wider) {
		offsets[i] = [2]int{end, end + len(tensors[i].Data)}
		end = offsets[i][1]
		data = append(data, tensors[i].Data)
	}
	return offsets, data, nil
}
