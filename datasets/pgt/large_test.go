package pgt_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// repeated is so many times a text, one after the other.
type repeated struct {
	text string
	left int
	at   int
}

func (r *repeated) Read(into []byte) (n int, err error) {
	for n < len(into) {
		if r.left == 0 {
			return n, io.EOF
		}
		k := copy(into[n:], r.text[r.at:])
		n, r.at = n+k, r.at+k
		if r.at == len(r.text) {
			r.at, r.left = 0, r.left-1
		}
	}
	return n, nil
}

// A small file that unpacks to far more than data sets have is refused, with the limit and what raises it.
func TestTooLarge(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.Copy(z, &repeated{text: `{"y": [[1, 2, 3, 4]], "0": 0}    `, left: 5 << 18}) // 41 MiB
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bomb.json.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(...pgt.Option) (*dyngraph.Series, error){
		"Load": func(o ...pgt.Option) (*dyngraph.Series, error) { return pgt.Load(path, o...) },
		"Read": func(o ...pgt.Option) (*dyngraph.Series, error) {
			return pgt.Read(bytes.NewReader(packed.Bytes()), o...)
		},
		"ReadTwitterTennis": func(o ...pgt.Option) (*dyngraph.Series, error) {
			return pgt.ReadTwitterTennis(bytes.NewReader(packed.Bytes()), o...)
		},
	} {
		if _, err := read(); !errors.Is(err, dyngraph.ErrTooLarge) || !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), "more than 33554432 bytes of content") ||
			!strings.Contains(err.Error(), "pgt.MaxBytes") {
			t.Errorf("%s: %v, want the limit and what raises it", name, err)
		}
		if _, err := read(pgt.MaxBytes(1 << 30)); err == nil || errors.Is(err, dyngraph.ErrTooLarge) ||
			!errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s with a higher limit: %v, want that it is no JSON of a data set", name, err)
		}
	}
	if _, err := pgt.ReadTwitterTennis(strings.NewReader(smallTennis), pgt.Lag(2)); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("%v, want that Lag does not apply", err)
	}
}

// A file without end, and one that nobody writes to, are refused before they are read.
func TestNoRegularFile(t *testing.T) {
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		if _, err := os.Stat(path); err != nil {
			continue // another system
		}
		if _, err := pgt.Load(path); !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "want a ") {
			t.Errorf("%s: %v, want that it is no regular file", path, err)
		}
	}
}
