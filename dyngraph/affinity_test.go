package dyngraph_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

func TestAffinities(t *testing.T) {
	sound := func() *dyngraph.Affinities {
		return &dyngraph.Affinities{Nodes: []int32{1, 4}, Start: []int{0, 2, 3}, Classes: []int32{0, 2, 1},
			Values: []float64{0.5, 0, 7}}
	}
	a := sound()
	if err := a.Validate(5, 3); err != nil || a.Rows() != 2 || (*dyngraph.Affinities)(nil).Rows() != 0 {
		t.Errorf("%v, %d rows", err, a.Rows())
	}
	if node, classes, values := a.Row(0); node != 1 || !slices.Equal(classes, []int32{0, 2}) ||
		!slices.Equal(values, []float64{0.5, 0}) {
		t.Errorf("row 0 is of node %d: %v, %v", node, classes, values)
	}
	for says, change := range map[string]func(*dyngraph.Affinities){
		"nodes of 0 to 4 that increase": func(a *dyngraph.Affinities) { a.Nodes[1] = 5 },
		"row 1 is of node 1":            func(a *dyngraph.Affinities) { a.Nodes[1] = 1 },
		"classes of 0 to 2":             func(a *dyngraph.Affinities) { a.Classes[2] = 3 },
		"node 1 has class 0":            func(a *dyngraph.Affinities) { a.Classes[1] = 0 },
		"affinity -1":                   func(a *dyngraph.Affinities) { a.Values[0] = -1 },
		"affinity +Inf":                 func(a *dyngraph.Affinities) { a.Values[0] = math.Inf(1) },
		"entries 0 to 4 of 3":           func(a *dyngraph.Affinities) { a.Start[1] = 4 },
		"3 classes and 2 values":        func(a *dyngraph.Affinities) { a.Values = a.Values[:2] },
		"2 rows with 2 starts":          func(a *dyngraph.Affinities) { a.Start = a.Start[:2] },
	} {
		a := sound()
		change(a)
		if err := a.Validate(5, 3); !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}
