package paramfile

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/safetensors"
)

// A file of another kind asks for another type, a file of another version for another training.
func TestFormats(t *testing.T) {
	for got, advice := range map[string]string{"learner 1": "load it with the type that saved it",
		"model 1": "train the model again with this version", "": "train the model again with this version"} {
		path := filepath.Join(t.TempDir(), "file")
		if err := safetensors.Write(path, map[string]string{formatKey: got}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, "model 2"); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), advice) {
			t.Errorf("format %q: %v, want %q", got, err, advice)
		}
		if _, err := Read(path, got); err != nil {
			t.Errorf("format %q: %v", got, err)
		}
	}
}
