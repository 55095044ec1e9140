package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/starter"
)

func TestInit(t *testing.T) {
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	said, err := command(folder, "init", "study").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "name one by --module") {
		t.Errorf("outside of a checkout: error %v, %s", err, said)
	}
	study := filepath.Join(folder, "study")
	if said := output(t, folder, "init", "study", "--module", checkout); !strings.Contains(said, "new: README.md, ") ||
		!strings.Contains(said, "make -C "+starter.Quote(checkout)+" lab DIR="+study+"\n") {
		t.Errorf("a new folder: %s", said)
	}
	said = []byte(output(t, folder, "init", study, "--module", checkout))
	if text := string(said); !strings.Contains(text, "not touched: README.md, ") || strings.Contains(text, "new:") {
		t.Errorf("once more: %s", said)
	}
	inCheckout := command(folder, "init", study)
	inCheckout.Dir = filepath.Join(checkout, "docs")
	if said, err := inCheckout.CombinedOutput(); err != nil {
		t.Errorf("from a folder of the checkout: %v, %s", err, said)
	}
}
