package equivariant_test

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

func ExampleParseMaps() {
	maps, _, err := equivariant.ParseMaps("identity, row sums on columns")
	if err != nil {
		panic(err)
	}
	a := []float64{ // from 0 to 1 with weight 2, from 1 to 2 with weight 3
		0, 2, 0,
		0, 0, 3,
		0, 0, 0,
	}
	for _, m := range maps {
		fmt.Println(m, m.Dense(a, 3))
	}
	// Output:
	// identity [0 2 0 0 0 3 0 0 0]
	// row sums on columns [2 3 0 2 3 0 2 3 0]
}
