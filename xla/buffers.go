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

// Free frees all that is owned. Tensors that were freed or donated before are passed over, so it may be called again.
func (b *Buffers) Free() {
	Free(b.owned...)
	b.owned = nil
}

// ToDevice moves all that is owned to the device, and gives up the copies on the host, which stay otherwise where host
// and device do not share memory, even when programs have read them. A tensor that is looked at later is fetched again.
func (b *Buffers) ToDevice(backend *Backend) error {
	if err := backend.Check(); err != nil {
		return err
	}
	for _, t := range b.owned {
		if err := t.ToDevice(backend.Compute, 0); err != nil {
			return fmt.Errorf("xla: to the device: %w", err)
		}
	}
	return nil
}

// Bytes is the size of all that is owned, without what was freed.
func (b *Buffers) Bytes() (bytes int64) {
	for _, t := range b.owned {
		if t.Ok() {
			bytes += int64(t.ByteSize())
		}
	}
	return bytes
}

// Free frees the device and host memory of tensors; nil and freed ones are passed over.
func Free(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != nil && t.Ok() {
			t.MustFinalizeAll()
		}
	}
}
