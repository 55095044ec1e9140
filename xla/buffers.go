package xla

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"
)

// Buffers owns tensors. Go's garbage collector does not see the memory of a device, so every tensor that a program
// returns needs somebody who frees it at a known time. The zero value is ready for use.
type Buffers struct{ owned []*tensors.Tensor }

// Own takes over tensors and returns them.
func (b *Buffers) Own(ts ...*tensors.Tensor) []*tensors.Tensor {
	b.owned = append(b.owned, ts...)
	return ts
}

// Free frees all that is owned. Tensors that were freed or donated before are passed over, so it may be called
// again.
func (b *Buffers) Free() {
	Free(b.owned...)
	b.owned = nil
}

// ToDevice moves all that is owned to the device, and gives up the copies on the host.
func (b *Buffers) ToDevice(backend *Backend) error { return ToDevice(backend, b.owned...) }

// ToDevice moves tensors to the device, and gives up their copies on the host: those of a tensor that a program was called
// with stay otherwise. A tensor that is read later is fetched again.
func ToDevice(backend *Backend, ts ...*tensors.Tensor) error {
	for _, t := range ts {
		if err := t.MaterializeOnDevice(backend.Compute, false, 0); err != nil {
			return fmt.Errorf("xla: to the device: %w", err)
		}
		t.FinalizeLocal()
	}
	return nil
}

// Free frees the device and host memory of tensors; nil and freed ones are passed over.
func Free(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != nil && t.Ok() {
			t.MustFinalizeAll()
		}
	}
}
