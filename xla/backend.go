package xla

import (
	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
)

// Backend is an opened GoMLX backend, with where it came from.
type Backend struct {
	// Compute is what GoMLX takes.
	Compute compute.Backend
	// Device says what computes: "cuda", "cpu" (both XLA) or "go" (the pure-Go backend); another plugin goes by its
	// own name.
	Device string
	// Origin says why this backend was chosen and where its plugin lies, for people.
	Origin string
}

// Wrap makes a Backend of one that was opened by other means. What [Open] sets for XLA on the CPU, memory that is kept and no
// YNNPACK, is then the caller's to set.
func Wrap(backend compute.Backend) *Backend {
	return &Backend{Compute: backend, Device: backend.Name(), Origin: "given by the caller"}
}

// Name says what computes, for people: "XLA on CPU", "XLA on CUDA", "pure Go" or the device of another plugin.
func (b *Backend) Name() string {
	if name := map[string]string{"go": "pure Go", cpu: "XLA on CPU", cuda: "XLA on CUDA"}[b.Device]; name != "" {
		return name
	}
	return b.Device
}

// Kind names the kind of backend as a [Config] takes it: "xla:cpu", "xla:cuda", "go", or "xla:" with the name of
// another plugin; one given to [Wrap] goes by its own name. Results of two kinds differ by rounding, which training can
// amplify.
func (b *Backend) Kind() string {
	if b.Compute.Name() == goxla.BackendName && b.Device != goxla.BackendName {
		return goxla.BackendName + ":" + b.Device
	}
	return b.Device
}

// String says in one line what computes, and why and from where.
func (b *Backend) String() string { return b.Name() + " (" + b.Origin + ")" }

// Close releases the backend; its compiled programs and tensors must not be used after.
func (b *Backend) Close() { b.Compute.Finalize() }
