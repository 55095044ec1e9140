package safetensors

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// limited passes room bytes on and then fails, as a full disk does; with silent it says that it wrote the rest.
type limited struct {
	w      io.Writer
	room   int
	silent bool
}

func (l *limited) Write(p []byte) (int, error) {
	fits := min(len(p), l.room)
	n, err := l.w.Write(p[:fits])
	l.room -= n
	if err != nil || fits == len(p) {
		return n, err
	}
	if l.silent {
		return len(p), nil
	}
	return n, syscall.ENOSPC
}

// flipping inverts a bit of the byte at position at.
type flipping struct {
	w  io.Writer
	at int
}

func (f *flipping) Write(p []byte) (int, error) {
	p = bytes.Clone(p)
	if f.at >= 0 && f.at < len(p) {
		p[f.at] ^= 1
	}
	f.at -= len(p)
	return f.w.Write(p)
}

// swapping writes another file in the place of what it is given.
type swapping struct {
	w       io.Writer
	content []byte
}

func (s *swapping) Write(p []byte) (int, error) {
	_, err := s.w.Write(s.content)
	s.content = nil
	return len(p), err
}

// wantOnly checks that folder holds the file old with that content, and nothing else.
func wantOnly(t *testing.T, folder, old string, content []byte) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != old {
		t.Errorf("folder holds %v, wanted %s alone", entries, old)
	}
	got, err := os.ReadFile(filepath.Join(folder, old))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("existing file changed, %v", err)
	}
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	metadata, tensors := sample(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	if err := Write(path, map[string]string{"age": "old"}, tensors[:1]); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := len(sampleBytes(t))
	for _, at := range []int{0, 1, 8, 100, size - 40, size - 1} {
		for name, c := range map[string]struct {
			through func(io.Writer) io.Writer
			want    error
		}{
			"disk full":   {func(w io.Writer) io.Writer { return &limited{w: w, room: at} }, syscall.ENOSPC},
			"bytes lost":  {func(w io.Writer) io.Writer { return &limited{w: w, room: at, silent: true} }, ErrCorrupt},
			"other file":  {func(w io.Writer) io.Writer { return &swapping{w, old} }, ErrCorrupt},
			"bit flipped": {func(w io.Writer) io.Writer { return &flipping{w: w, at: at} }, ErrCorrupt},
		} {
			if err := write(path, metadata, tensors, c.through); !errors.Is(err, c.want) {
				t.Errorf("%s at byte %d of %d: got %v, wanted %v", name, at, size, err, c.want)
			}
			wantOnly(t, folder, "model", old)
		}
	}
	if err := Write(path, metadata, tensors); err != nil {
		t.Fatal(err)
	}
	wantOnly(t, folder, "model", sampleBytes(t))
}

func TestWriteTargets(t *testing.T) {
	metadata, tensors := sample(t)
	folder := t.TempDir()
	if err := Write(filepath.Join(folder, "none", "model"), metadata, tensors); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: got %v, wanted fs.ErrNotExist", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(folder, "taken"), metadata, tensors); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v, wanted the one folder made before", entries, err)
	}
	t.Chdir(folder)
	if err := Write("model", nil, nil); err != nil {
		t.Errorf("path without a folder, no content: %v", err)
	}
	if file, err := Read("model"); err != nil || len(file.Tensors) != 0 || len(file.Metadata) != 0 {
		t.Errorf("empty file: got %+v, %v", file, err)
	}
	if err := os.Chmod("model", 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write("model", metadata, tensors); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("model"); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions of a replaced file: %v, %v, wanted 0640", info.Mode(), err)
	}
}

func TestWriteRefuses(t *testing.T) {
	folder := t.TempDir()
	a := Tensor{Name: "a", DType: "U8", Shape: []int{1}, Data: []byte{1}}
	changed := func(change func(*Tensor)) []Tensor {
		b := a
		change(&b)
		return []Tensor{b}
	}
	for name, c := range map[string]struct {
		metadata map[string]string
		tensors  []Tensor
	}{
		"name twice":           {nil, []Tensor{a, a}},
		"name reserved":        {nil, changed(func(t *Tensor) { t.Name = metadataKey })},
		"name not UTF-8":       {nil, changed(func(t *Tensor) { t.Name = "\xff" })},
		"dtype":                {nil, changed(func(t *Tensor) { t.DType = "F128" })},
		"data too short":       {nil, changed(func(t *Tensor) { t.Data = nil })},
		"shape negative":       {nil, changed(func(t *Tensor) { t.Shape = []int{-1} })},
		"checksum key":         {map[string]string{sumKey: "x"}, nil},
		"metadata not UTF-8":   {map[string]string{"a": "\xff"}, nil},
		"metadata beyond size": {map[string]string{"a": string(bytes.Repeat([]byte("a"), maxHeader))}, nil},
	} {
		if err := Write(filepath.Join(folder, "model"), c.metadata, c.tensors); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: got %v, wanted ErrInvalid", name, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("folder holds %v, %v, wanted nothing", entries, err)
	}
}
