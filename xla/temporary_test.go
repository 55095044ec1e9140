package xla

import (
	"errors"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The live memory of graphs small enough to count by hand, with matrices [16, 16] of float64.
func TestTemporary(t *testing.T) {
	backend, err := Open(Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	const n = 16
	matrix := shapes.Make(dtypes.Float64, n, n)
	for _, c := range []struct {
		name  string
		build func(x *Node) *Node
		want  int64
	}{
		{"output alone", func(x *Node) *Node { return Dot(x, x).Product() }, 0},
		{"chain", func(x *Node) *Node {
			for range 5 {
				x = Dot(x, x).Product()
			}
			return x
		}, 2},
		{"kept to the end", func(x *Node) *Node {
			first := Dot(x, x).Product()
			y := first
			for range 5 {
				y = Dot(y, y).Product()
			}
			return Dot(y, first).Product()
		}, 3},
		{"inside the reader", func(x *Node) *Node { return Dot(x, Tanh(AddScalar(Sin(x), 1))).Product() }, 0},
		{"two readers", func(x *Node) *Node {
			y := Sin(x)
			return Dot(Dot(y, x).Product(), Reshape(y, n, n)).Product()
		}, 2},
		{"two readers of a view", func(x *Node) *Node {
			y := Reshape(Sin(x), 1, n*n)
			return Dot(Dot(Reshape(y, n, n), x).Product(), Reshape(y, n, n)).Product()
		}, 2},
		{"several results", func(x *Node) *Node {
			_, drawn := RandomUniform(Const(x.Graph(), []uint64{1, 2, 3}), x.Shape())
			return Dot(Dot(drawn, x).Product(), drawn).Product()
		}, 2},
		{"not needed", func(x *Node) *Node {
			y := Dot(x, x).Product()
			for range 4 {
				y = Dot(y, y).Product()
			}
			return Dot(x, x).Product()
		}, 0},
	} {
		program, err := NewProgram(backend, c.name, func(in []*Node) []*Node { return []*Node{c.build(in[0])} })
		if err != nil {
			t.Fatal(err)
		}
		got, err := program.Temporary(matrix)
		if want := c.want * int64(matrix.ByteSize()); err != nil || got != want {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, got, err, want)
		}
		program.Close()
	}

	none := []int{}
	broken, err := NewProgram(backend, "broken", func(in []*Node) []*Node { return in[none[in[0].Rank()]:] })
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	var build *BuildError
	if _, err := broken.Temporary(matrix); !errors.As(err, &build) || build.Program != "broken" {
		t.Errorf("%v, want a BuildError", err)
	}
}
