package pengcde_test

import (
	"errors"
	"testing"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// An error of a package below is found by the sentinel of the package at hand.
func TestInputShared(t *testing.T) {
	if err := nn.Activation("cosine").Check(); !errors.Is(err, pengcde.ErrInput) {
		t.Errorf("%v, want pengcde.ErrInput", err)
	}
}
