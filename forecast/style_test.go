package forecast

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// The same forecast looks the same in the figures of studies and of own data.
func TestStyles(t *testing.T) {
	for _, f := range baseline.Heuristics() {
		id := strings.NewReplacer(", ", "-", " ", "-").Replace(f.Name())
		if want, ok := paper.StyleOf(id); !ok || styles[f.Name()] != want {
			t.Errorf("%s: %+v, want %+v as in the studies", f.Name(), styles[f.Name()], want)
		}
	}
	if want, _ := paper.StyleOf("peng"); styles[ModelName] != want {
		t.Errorf("%s: %+v, want %+v", ModelName, styles[ModelName], want)
	}
}
