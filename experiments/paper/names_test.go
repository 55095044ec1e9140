package paper

import (
	"errors"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
)

func TestNamesThatDoNotExist(t *testing.T) {
	if _, err := ByName("table9"); !errors.Is(err, experiments.ErrInput) || !strings.Contains(err.Error(),
		"epidemics") {
		t.Errorf("unknown study: %v", err)
	}
}
