package field_test

import (
	"maps"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// With identities, relabelling the nodes relabels dz/dt only if each node keeps its identity. A table of all identities
// shows this for every kind.
func TestIdentitiesCommuteOnlyWithTheirNumbers(t *testing.T) {
	const size = 2
	backend := xlatest.Go(t)
	tabled := equivariant.Identities{Kind: equivariant.IdentityTable, Size: size, Nodes: ringNodes}
	peng := func(i equivariant.Identities) field.Field {
		return field.PENG{Hidden: ringHidden, Layers: 2, Identities: i}
	}
	original := func(i equivariant.Identities) field.Field {
		return field.Original{Hidden: ringHidden, Layers: 2, Features: ringFeatures, Identities: i}
	}
	for name, c := range map[string]struct {
		kind    equivariant.IdentityKind
		of      func(equivariant.Identities) field.Field
		product equivariant.Product
	}{
		"PENG, MLP, sparse":       {equivariant.IdentityMLP, peng, equivariant.Sparse},
		"PENG, linear, dense":     {equivariant.IdentityLinear, peng, equivariant.Dense},
		"Original, MLP, dense":    {equivariant.IdentityMLP, original, equivariant.Dense},
		"Original, table, sparse": {equivariant.IdentityTable, original, equivariant.Sparse},
	} {
		t.Run(name, func(t *testing.T) {
			kind, of, product := c.kind, c.of, c.product
			identities := equivariant.Identities{Name: "field.identities", Kind: kind, Size: size, Nodes: ringNodes}
			c, byTable := newRelabelling(t, backend, of(identities)), newRelabelling(t, backend, of(tabled))
			declared := identities.Params()
			table, err := xla.NewProgram(backend, "identities", func(in []*Node) []*Node {
				return []*Node{identities.Apply(nn.Bind(declared, in), ringNodes)}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			differ := false
			rapid.Check(t, func(r *rapid.T) {
				d := c.draw(r)
				original, withSameNumbers := c.derivatives(r, d, product)
				var args []any
				for _, p := range declared {
					args = append(args, host.Tensor(dtypes.Float64, d.params[p.Name], p.Dims...))
				}
				out, err := table.Call(args...)
				if err != nil {
					r.Fatal(err)
				}
				rows := host.Floats(out[0])
				xla.Free(out...)
				d.params = maps.Clone(d.params)
				d.params["field.identities.table"] = rows
				same, _ := byTable.derivatives(r, d, product)
				fixture.Close(t, "dz/dt by a table of the identities", same, original, 1e-12)
				d.params["field.identities.table"] = moved(d.order, rows)
				_, relabelled := byTable.derivatives(r, d, product)
				want := moved(d.order, original)
				fixture.Close(t, "dz/dt with relabelled identities", relabelled, want, 1e-11)
				differ = differ || floats.Distance(withSameNumbers, want, math.Inf(1)) > 0.01*floats.Norm(want, math.Inf(1))
			})
			if !differ {
				t.Error("dz/dt commutes with relabelling although the identities stay")
			}
		})
	}
}

// A field without identities has no parameters for them, and does not depend on the other fields of the option.
func TestNoIdentities(t *testing.T) {
	plain := field.PENG{Hidden: 2, Layers: 1}
	other := plain
	other.Identities = equivariant.Identities{Kind: equivariant.IdentityTable}
	if a, b := nn.Count(plain.Params()), nn.Count(other.Params()); a != b {
		t.Errorf("%d parameters without identities, %d with a table of size 0", a, b)
	}
}
