package field_test

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// own is a custom field: one convolution with the adjacency.
type own struct{ convolution equivariant.Convolution }

func (f own) Params() []nn.Param { return f.convolution.Params() }

func (f own) Derivative(v nn.Values, c *field.Control, t, z *Node) *Node {
	a, _, _ := c.At(t)
	return f.convolution.Apply(v, z, a.Apply)
}

// A field outside the package can use the same control as fields inside.
func TestFieldOfYourOwn(t *testing.T) {
	sample, z, _, _ := clocked(t)
	sample.Clock = nil
	backend := xlatest.Go(t)
	mine := own{equivariant.Convolution{Name: "field.layers.0", In: 3, Out: 3}}
	adjacency := field.Adjacency{Hidden: 3, Layers: 1}
	for _, product := range bothProducts {
		got := evaluate(t, backend, mine, waves(adjacency), sample, product, []float64{0.4, 1.7}, z, true)
		want := evaluate(t, backend, adjacency, waves(adjacency), sample, product, []float64{0.4, 1.7}, z, true)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v: %v, Adjacency %v", product, got[0], want[0])
		}
	}
}
