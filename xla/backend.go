package xla

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
)

// ErrNotOpen is wrapped by the errors of calls with a [Backend] that is nil or zero.
var ErrNotOpen = errors.New("backend is not open")

// Backend is an opened GoMLX backend, with where it came from. The zero value computes nothing; see [Backend.Check].
type Backend struct {
	// Compute is what GoMLX takes.
	Compute compute.Backend
	// Device says what computes: "cuda", "cpu" (both XLA) or "go" (the pure-Go backend); or the name of another plugin.
	Device string
	// Origin says why this backend was chosen and where its plugin lies, for people.
	Origin string

	workers *workers // nil where there cannot be any
	notice  string   // for people, of what does not work as well as it could
}

// Wrap makes a Backend of one that was opened by other means. What [Open] sets for XLA on the CPU, memory that is kept
// and no YNNPACK, is then the caller's to set. A nil one gives the zero Backend.
func Wrap(backend compute.Backend) *Backend {
	if backend == nil {
		return &Backend{}
	}
	return &Backend{Compute: backend, Device: backend.Name(), Origin: "given by the caller"}
}

// Check finds a backend that is nil or zero; the error wraps [ErrNotOpen].
func (b *Backend) Check() error {
	if b == nil || b.Compute == nil {
		return fmt.Errorf("xla: a nil or zero Backend, want one of xla.Open: %w", ErrNotOpen)
	}
	return nil
}

// Name says what computes, for people: "XLA on CPU", "XLA on CUDA", "pure Go", the device of another plugin, or "no
// backend" for one that is not open.
func (b *Backend) Name() string {
	if b.Check() != nil {
		return "no backend"
	}
	if name := map[string]string{"go": "pure Go", cpu: "XLA on CPU", cuda: "XLA on CUDA"}[b.Device]; name != "" {
		return name
	}
	return b.Device
}

// Kind names the kind of backend as a [Config] takes it: "xla:cpu", "xla:cuda", "go", or "xla:" with the name of
// another plugin; one given to [Wrap] goes by its own name. Results of two kinds differ by rounding, and adaptive
// steps with them.
func (b *Backend) Kind() string {
	if b.Check() != nil {
		return b.Name()
	}
	if b.Compute.Name() == goxla.BackendName && b.Device != goxla.BackendName {
		return goxla.BackendName + ":" + b.Device
	}
	return b.Device
}

// String says in one line what computes, and why and from where.
func (b *Backend) String() string {
	if b.Check() != nil {
		return b.Name()
	}
	return b.Name() + " (" + b.Origin + ")"
}

// HasKernels says whether programs on the backend may call kernels, see [Call].
func (b *Backend) HasKernels() bool {
	_, ok := calling.Load(b.Compute)
	return ok
}

// Close releases the backend, if it is open. Its compiled programs and tensors must not be used after.
func (b *Backend) Close() {
	if b.Check() == nil {
		b.closeWorkers()
		calling.Delete(b.Compute)
		b.Compute.Finalize()
	}
}
