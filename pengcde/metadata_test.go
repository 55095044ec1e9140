package pengcde

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

func TestModelFileCarriesTexts(t *testing.T) {
	split, m := ringSplit(t), ringModel(t, nil)
	path := filepath.Join(t.TempDir(), "ring.safetensors")
	texts := map[string]string{"recipe": `{"lags": 8, "name": "Süd"}`, "": "no name"}
	if err := m.SaveWith(path, texts); err != nil {
		t.Fatal(err)
	}
	got, err := Metadata(path)
	if err != nil || !maps.Equal(got, texts) {
		t.Errorf("texts %q, want %q; %v", got, texts, err)
	}
	loaded, err := Load(xlatest.Go(t), path)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if want, got := forecast(t, m, split.Test[0]), forecast(t, loaded, split.Test[0]); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
	for _, key := range []string{"pengcde.format", configKey, "pengcde.sha256"} {
		if err := m.SaveWith(path, map[string]string{key: "x"}); !errors.Is(err, ErrInput) {
			t.Errorf("key %q: %v, want ErrInput", key, err)
		}
	}
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Metadata(path); err != nil || len(got) != 0 {
		t.Errorf("texts of a plain file: %q, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Metadata(path); !errors.Is(err, ErrFile) {
		t.Errorf("no model: %v, want ErrFile", err)
	}
}
