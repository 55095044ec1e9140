package xla

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"
)

// Buffers owns tensors. Go's garbage collector does not see the memory of a device, so the tensors that a program
// returns must be freed explicitly. The zero value is ready for use.
type Buffers struct{ owned []*tensors.Tensor }

// Own takes ownership of tensors and returns them.
func (b *Buffers) Own(ts ...*tensors.Tensor) []*tensors.Tensor {
	b.owned = append(b.owned, ts...)
	return ts
}

// Free frees all owned tensors. It skips tensors that were freed or donated before, so it may be called again.
func (b *Buffers) Free() {
	Free(b.owned...)
	b.owned = nil
}

// ToDevice moves all owned tensors to the device and frees their copies on the host. Otherwise these stay if host and
// device do not share memory, even after programs have read them. Reading a tensor later copies it to the host again.
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

// Bytes returns the total size of the owned tensors that were not freed.
func (b *Buffers) Bytes() (bytes int64) {
	for _, t := range b.owned {
		if t.Ok() {
			bytes += int64(t.ByteSize())
		}
	}
	return bytes
}

// Free frees the device and host memory of tensors. It skips nil and freed tensors.
func Free(ts ...*tensors.Tensor) {
	for _, t := range ts {
		if t != nil && t.Ok() {
			t.MustFinalizeAll()
		}
	}
}
