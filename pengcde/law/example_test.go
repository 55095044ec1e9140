package law_test

import (
	"context"
	"fmt"
	"log"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/law"
)

// The law of diffusion is read off a simulated series: each node takes from its neighbours, A, and gives to each, the
// row sums.
func ExampleLeastSquares() {
	set, err := synthetic.Generate(context.Background(), synthetic.Config{Family: graphs.Community{},
		Task: synthetic.Heat, Nodes: 25, Graphs: 1, Seed: 3})
	if err != nil {
		log.Fatal(err)
	}
	var fit law.LeastSquares
	if err := fit.Fit([]dyngraph.Window{set.Trajectories[0].Series(nil, nil).Whole()}, nil); err != nil {
		log.Fatal(err)
	}
	found, err := fit.Law()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("A %.3f, row sums on the diagonal %.3f\n", found.Coefficient(equivariant.IdentityMap, false),
		found.Coefficient(equivariant.RowsOnDiagonal, false))
	// Output:
	// A 1.000, row sums on the diagonal -1.000
}
