package pgt_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// fuzz wants of any content an error about the content or a series that can be trained on.
func fuzz(f *testing.F, seed string, read func(io.Reader) (*dyngraph.Series, error)) {
	var compressed bytes.Buffer
	z := gzip.NewWriter(&compressed)
	if _, err := io.WriteString(z, seed); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	named, err := os.ReadFile("testdata/named.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, content := range []string{
		string(named), strings.Replace(string(named), `"nord"`, "null", 1),
		strings.Replace(string(named), "02-29", "02-31", 1),
		seed, seed[:len(seed)/2], "", "null", compressed.String(), compressed.String()[:compressed.Len()/2],
		strings.NewReplacer(`"time_periods": 3`, `"time_periods": 1000000000`, `"time_periods": 5`,
			`"time_periods": 1000000000`).Replace(seed),
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := read(bytes.NewReader(content))
		if err == nil {
			err = s.Validate()
		} else if errors.Is(err, dyngraph.ErrInvalid) {
			err = nil
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func FuzzRead(f *testing.F) {
	fuzz(f, small, func(r io.Reader) (*dyngraph.Series, error) { return pgt.Read(r, pgt.Lag(2)) })
}

func FuzzReadTwitterTennis(f *testing.F) {
	fuzz(f, smallTennis, func(r io.Reader) (*dyngraph.Series, error) { return pgt.ReadTwitterTennis(r) })
}
