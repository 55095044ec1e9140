package pengcde

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
)

// passing returns ring with one edge at a time, which appears and disappears.
func passing(t *testing.T) *dyngraph.Series {
	t.Helper()
	s := ring(t)
	var from, to []int
	for u := range ringNodes {
		for v := range ringNodes {
			from, to = append(from, u), append(to, v)
		}
	}
	var err error
	if s.Pattern, _, err = dyngraph.NewPattern(ringNodes, from, to); err != nil {
		t.Fatal(err)
	}
	for k := range s.Times {
		s.Weights[k] = make([]float64, len(from))
		u := k * k % ringNodes
		s.Weights[k][u*ringNodes+(u+1+k/3)%ringNodes] = 1 + float64(k%2)
	}
	return s
}

// Windows without unused edges have the same losses, gradients and forecasts as windows with all edges, and one shape.
func TestOwnEdges(t *testing.T) {
	s, ctx := passing(t), context.Background()
	split, err := s.Windows(4, 1).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"PENG-CDE": func(c *Config) { c.Field = published11() },
		"identities": func(c *Config) {
			c.Field = field.PENG{Identities: equivariant.Identities{Size: 2}}
		},
		"normalised": func(c *Config) { c.Normalise = dyngraph.NormalisedAdjacency },
		"DCRNN": func(c *Config) {
			*c = Config{Nodes: ringNodes, Features: ringFeatures,
				Network:   rivals.DCRNN{Hidden: 4},
				Execution: Execution{Product: c.Product, Float64: true}}
		},
	} {
		model := func(product equivariant.Product) *Model {
			return ringModel(t, func(c *Config) {
				c.Product, c.Float64 = product, true
				change(c)
			})
		}
		sparse, dense := model(equivariant.Sparse), model(equivariant.Dense)
		var losses [2]float64
		var gradients [2][]float64
		for i, m := range []*Model{sparse, dense} {
			made, err := batches(m.backend, 2, source{model: m, windows: split.Train})
			if err != nil {
				t.Fatal(err)
			}
			defer freeAll(made)
			for _, b := range made {
				loss, gradient, err := gradientOf(ctx, m.network, m.params, b)
				if err != nil {
					t.Fatal(err)
				}
				losses[i] += loss
				for _, x := range gradient {
					gradients[i] = append(gradients[i], host.Floats(x)...)
				}
				for j, x := range b.control {
					if want := made[0].control[j].Shape(); !x.Shape().Equal(want) {
						t.Errorf("%s: tensor %d of a batch is %s, of the first %s", name, j, x.Shape(), want)
					}
				}
			}
		}
		fixture.Close(t, name+": loss", losses[:1], losses[1:], 1e-12)
		fixture.Close(t, name+": gradient", gradients[0], gradients[1], 1e-10)
		for _, w := range split.Test {
			fixture.Close(t, name+": forecast", forecast(t, sparse, w), forecast(t, dense, w), 1e-12)
			one, err := sparse.sample(w, false, validated{})
			if err != nil {
				t.Fatal(err)
			}
			if got, all := one.paths.Pattern.Edges(), s.Pattern.Edges(); (got > all/2) != (name == "identities") {
				t.Errorf("%s: a window has %d of %d edges", name, got, all)
			}
		}
	}
}
