// Package xlatest opens the backend that tests share.
package xlatest

import (
	"sync"
	"testing"

	"github.com/peng-cde/pengcde-go/xla"
)

var open = sync.OnceValues(func() (*xla.Backend, error) { return xla.Open(xla.Config{}) })

// Backend returns the backend of this test process, chosen as a user's program would (see [xla.Open]).
func Backend(t testing.TB) *xla.Backend {
	t.Helper()
	backend, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return backend
}
