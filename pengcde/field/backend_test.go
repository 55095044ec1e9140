package field

import (
	"testing"

	"github.com/peng-cde/pengcde-go/xla"
)

// PlainGo is for tests of many programs, which XLA takes long to compile.
func PlainGo(t testing.TB) *xla.Backend {
	t.Helper()
	backend, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(backend.Close)
	return backend
}
