package safetensors

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// A file that is far larger than models are, and a device without end, are refused before memory is taken for them.
func TestReadLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, maxFile+1)); err != nil {
		t.Skip(err) // no files with holes here
	}
	if _, err := Read(path); !errors.Is(err, bounded.ErrTooLarge) || errors.Is(err, ErrCorrupt) {
		t.Errorf("%v, want that it is too large", err)
	}
	var kind *bounded.KindError
	if _, err := os.Stat("/dev/zero"); err != nil {
		return
	}
	if _, err := Read("/dev/zero"); !errors.As(err, &kind) {
		t.Errorf("%v, want that it is a device", err)
	}
}
