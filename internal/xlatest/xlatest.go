// Package xlatest opens the backends that tests share. Most numbers are checked on [Go], where a program compiles at
// once; XLA takes seconds for the pullback of one step, so [Backend] is for fixtures and one test of each kind of work.
package xlatest

import (
	"os"
	"sync"
	"testing"

	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

var (
	open   = sync.OnceValues(func() (*xla.Backend, error) { return xla.Open(xla.Config{}) })
	openGo = sync.OnceValues(func() (*xla.Backend, error) { return xla.Open(xla.Config{Backend: "go"}) })
)

// Backend returns the backend of this test process, chosen as a user's program would (see [xla.Open]).
func Backend(t testing.TB) *xla.Backend {
	t.Helper()
	return opened(t, open)
}

// Go returns the pure-Go backend of this test process.
func Go(t testing.TB) *xla.Backend {
	t.Helper()
	return opened(t, openGo)
}

// CheckLevel fails the test if kernels use instructions that [xla.KernelsEnv] rules out.
func CheckLevel(t testing.TB) {
	t.Helper()
	setting := os.Getenv(xla.KernelsEnv)
	if highest, ok := kernels.Levels[setting]; ok && kernels.Level() > highest {
		t.Fatalf("with %s=%s kernels use level %d of x86-64", xla.KernelsEnv, setting, kernels.Level())
	}
}

func opened(t testing.TB, open func() (*xla.Backend, error)) *xla.Backend {
	t.Helper()
	backend, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return backend
}
