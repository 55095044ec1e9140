package xla_test

import (
	"errors"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
)

// Every operation on a backend that was never opened returns an error. It can be printed and closed.
func TestBackendThatIsNotOpen(t *testing.T) {
	for name, backend := range map[string]*xla.Backend{"nil": nil, "zero": {}, "of none": xla.Wrap(nil),
		"named": {Device: "cpu"}} {
		_, program := xla.NewProgram(backend, "none", func(in []*Node) []*Node { return in })
		var owned xla.Buffers
		for what, err := range map[string]error{"Check": backend.Check(), "NewProgram": program,
			"ToDevice": owned.ToDevice(backend)} {
			if !errors.Is(err, xla.ErrNotOpen) {
				t.Errorf("%s, %s: %v, want ErrNotOpen", name, what, err)
			}
		}
		if got := backend.String(); got != "no backend" {
			t.Errorf("%s: shown as %q", name, got)
		}
		if backend.HasKernels() || backend.Loops() || backend.ForGPU() {
			t.Errorf("%s: has kernels %v, loops %v, is for a GPU %v", name, backend.HasKernels(), backend.Loops(),
				backend.ForGPU())
		}
		backend.Close()
	}
}
