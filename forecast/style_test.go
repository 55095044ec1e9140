package forecast_test

import (
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/forecast"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// The same forecast looks the same in the figures of studies and of your own data.
func TestStyles(t *testing.T) {
	for _, f := range baseline.Heuristics() {
		id := strings.NewReplacer(", ", "-", " ", "-").Replace(experiments.StoredName(f))
		if want, ok := paper.StyleOf(id); !ok || forecast.Styles[f.Name()] != want {
			t.Errorf("%s: %+v, want %+v as in the studies", f.Name(), forecast.Styles[f.Name()], want)
		}
	}
	if want, _ := paper.StyleOf("peng"); forecast.Styles[forecast.ModelName] != want {
		t.Errorf("%s: %+v, want %+v", forecast.ModelName, forecast.Styles[forecast.ModelName], want)
	}
}
