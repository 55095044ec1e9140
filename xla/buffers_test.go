package xla_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// program compiles a function of one tensor.
func program(t *testing.T, backend *xla.Backend, f func(x *Node) *Node) *xla.Program {
	t.Helper()
	p, err := xla.NewProgram(backend, t.Name(), func(in []*Node) []*Node { return []*Node{f(in[0])} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// Tensors moved to the device do not stay on the host. Programs accept them, and they can be read again.
func TestToDevice(t *testing.T) {
	backend := xlatest.Backend(t)
	double := program(t, backend, func(x *Node) *Node { return MulScalar(x, 2.0) })
	var owned xla.Buffers
	defer owned.Free()
	x := owned.Own(tensors.FromValue([]float64{1, 2}))[0]
	for range 2 { // the second time it is there
		if err := owned.ToDevice(backend); err != nil {
			t.Fatal(err)
		}
		if x.HasLocal() || !x.IsOnAnyDevice() {
			t.Errorf("on the host %t, on the device %t, want the device alone", x.HasLocal(), x.IsOnAnyDevice())
		}
	}
	if got := owned.Bytes(); got != 16 {
		t.Errorf("%d bytes, want those of 2 float64", got)
	}
	out, err := double.Call(x)
	if err != nil {
		t.Fatal(err)
	}
	owned.Own(out...)
	if got, source := tensors.MustCopyFlatData[float64](out[0]), tensors.MustCopyFlatData[float64](x); got[1] != 4 ||
		source[1] != 2 {
		t.Errorf("the double of %v is %v", source, got)
	}
	xla.Free(x)
	if got := owned.Bytes(); got != 16 { // of the output
		t.Errorf("%d bytes with a tensor that was freed, want 16", got)
	}
	if err := owned.ToDevice(backend); err == nil {
		t.Error("no error for a tensor that was freed")
	}
}

// A donated tensor is gone, also where the host had a copy.
func TestDonate(t *testing.T) {
	next := program(t, xlatest.Backend(t), func(x *Node) *Node { return AddScalar(x, 1.0) })
	x := tensors.FromValue([]float64{1, 2})
	out, err := next.Call(xla.Donate(x))
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	if got := tensors.MustCopyFlatData[float64](out[0]); x.Ok() || got[0] != 2 || got[1] != 3 {
		t.Errorf("%v from a tensor that is left: %t", got, x.Ok())
	}
}
