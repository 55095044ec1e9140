package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// If its checkpoint cannot be used, a training starts over once, without the files.
func TestStartOver(t *testing.T) {
	var heard []string
	c := &Checkpoint{Path: filepath.Join(t.TempDir(), "model"), Notice: func(s string) { heard = append(heard, s) }}
	other := errors.New("no memory")
	for name, tt := range map[string]struct {
		checkpoint *Checkpoint
		errs       []error // of the runs, one after the other
		want       error
	}{
		"good":              {c, []error{nil}, nil},
		"damaged":           {c, []error{fmt.Errorf("knot: %w", ErrCheckpoint), nil}, nil},
		"damaged, and then": {c, []error{ErrCheckpoint, other}, other},
		"another error":     {c, []error{other}, other},
		"no checkpoint":     {nil, []error{ErrCheckpoint}, ErrCheckpoint},
	} {
		heard = nil
		if err := os.WriteFile(c.slot(0), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		runs := 0
		_, err := StartOver(tt.checkpoint, func() (*Report, error) {
			if runs++; c.Exists() != (runs == 1) {
				t.Errorf("%s: run %d with its files: %v", name, runs, c.Exists())
			}
			return nil, tt.errs[runs-1]
		})
		if !errors.Is(err, tt.want) || err == nil != (tt.want == nil) || runs != len(tt.errs) || len(heard) != runs-1 {
			t.Errorf("%s: %v after %d runs, heard %q", name, err, runs, heard)
		}
	}
}
