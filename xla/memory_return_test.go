//go:build linux && cgo

package xla_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// The memory of a large result is returned on request, and kept until then.
func TestReturnFreedMemory(t *testing.T) {
	backend := xlatest.Backend(t)
	if backend.Kind() != "xla:cpu" {
		t.Skip("another backend does not keep memory")
	}
	const bytes = 256 << 20
	large := program(t, backend, func(x *Node) *Node {
		return Add(BroadcastToDims(x, bytes/8), IotaFull(x.Graph(), x.Shape()))
	})
	x := tensors.FromValue([]float64{1})
	defer xla.Free(x)
	idle := resident.Now()
	out, err := large.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	xla.Free(out...)
	before := resident.Now()
	if before-idle < bytes/2 {
		t.Skip("the C allocator has kept nothing")
	}
	xla.ReturnFreedMemory()
	if after := resident.Now(); before-after < bytes/2 {
		t.Errorf("of %d bytes of a freed result %d are given back", bytes, before-after)
	}
}
