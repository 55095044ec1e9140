package xla

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
)

// ErrNotOpen is wrapped by the errors of calls on a [Backend] that is nil or zero, or was closed.
var ErrNotOpen = errors.New("backend is not open")

// Backend is an open GoMLX backend, with its origin. The zero value computes nothing; see [Backend.Check].
type Backend struct {
	// Compute is the backend in GoMLX's form.
	Compute compute.Backend
	// Device is "cuda", "cpu" (both XLA) or "go" (the pure-Go backend), or the name of another plugin.
	Device string
	// Origin says why this backend was chosen and where its plugin is, for display.
	Origin string

	workers *workers // nil if the backend can have none
	notice  string   // for display: a feature that does not work fully
	loops   bool     // the device repeats loops
}

// Wrap returns a Backend for a GoMLX backend opened by other means. The caller must then make the settings that [Open]
// makes for XLA on the CPU: memory that is kept, and no YNNPACK. A nil backend gives the zero Backend.
func Wrap(backend compute.Backend) *Backend {
	if backend == nil {
		return &Backend{}
	}
	return &Backend{Compute: backend, Device: backend.Name(), Origin: "given by the caller"}
}

// Check returns an error for a backend that is nil or zero, or was closed; the error wraps [ErrNotOpen].
func (b *Backend) Check() error {
	if b == nil || b.Compute == nil {
		return fmt.Errorf("xla: a nil or zero Backend, want one of xla.Open: %w", ErrNotOpen)
	}
	if b.Compute.IsFinalized() {
		return fmt.Errorf("xla: the Backend was closed, want it open until the last call: %w", ErrNotOpen)
	}
	return nil
}

// Name returns a name for display: "XLA on CPU", "XLA on CUDA", "pure Go", the device of another plugin, or "no
// backend" for a backend that is not open.
func (b *Backend) Name() string {
	if b.Check() != nil {
		return "no backend"
	}
	if name := map[string]string{"go": "pure Go", cpu: "XLA on CPU", cuda: "XLA on CUDA"}[b.Device]; name != "" {
		return name
	}
	return b.Device
}

// Kind names the kind of backend in the form of a [Config]: "xla:cpu", "xla:cuda", "go", or "xla:" with the name of
// another plugin. A backend from [Wrap] has its own name. Results of two kinds differ by rounding, and so do their
// adaptive steps.
func (b *Backend) Kind() string {
	if b.Check() != nil {
		return b.Name()
	}
	if b.Compute.Name() == goxla.BackendName && b.Device != goxla.BackendName {
		return goxla.BackendName + ":" + b.Device
	}
	return b.Device
}

// String describes in one line the device, the reason for its choice and its origin.
func (b *Backend) String() string {
	if b.Check() != nil {
		return b.Name()
	}
	return b.Name() + " (" + b.Origin + ")"
}

// ForGPU reports whether programs on the backend should have few operations, see [ForGPU].
func (b *Backend) ForGPU() bool {
	return b.in(&forGPU)
}

// HasKernels reports whether programs on the backend may call kernels, see [Call].
func (b *Backend) HasKernels() bool {
	return b.in(&calling)
}

func (b *Backend) in(set *sync.Map) bool {
	if b.Check() != nil {
		return false
	}
	_, ok := set.Load(b.Compute)
	return ok
}

// Loops reports whether the device repeats the programs of [NewLoop] by itself. It is true for XLA on the CPU and on
// CUDA, if this package opened their plugin first. Otherwise the host repeats them.
func (b *Backend) Loops() bool { return b.Check() == nil && b.loops }

// Close releases the backend, if it is open. Its compiled programs and tensors must not be used afterwards.
func (b *Backend) Close() {
	if b.Check() == nil {
		b.closeWorkers()
		calling.Delete(b.Compute)
		forGPU.Delete(b.Compute)
		b.Compute.Finalize()
	}
}
