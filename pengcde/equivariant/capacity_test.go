package equivariant

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// The capacity of runs is the smallest that every run fits in, and every batch of runs can use it.
func TestWindowCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "nodes")
		ends := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 40)
		from := ends.Draw(t, "from")
		to := rapid.SliceOfN(rapid.IntRange(0, n-1), len(from), len(from)).Draw(t, "to")
		p, _, err := dyngraph.NewPattern(n, from, to)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([][]float64, rapid.IntRange(1, 9).Draw(t, "snapshots"))
		for k := range rows {
			for range p.Edges() {
				rows[k] = append(rows[k], float64(rapid.IntRange(0, 1).Draw(t, "weight")))
			}
		}
		length := rapid.IntRange(1, 10).Draw(t, "length")
		capacity, all, err := WindowCapacity(p, len(rows), length, func(k int) ([]float64, error) { return rows[k], nil })
		if err != nil {
			t.Fatal(err)
		}

		counts := make([]int32, n)
		for u, list := range neighbours(p) {
			counts[u] = int32(len(list))
		}
		if want := capacityOf(counts); !slices.Equal(all.most, want.most) {
			t.Fatalf("capacity of the whole %v, want %v", all.most, want.most)
		}
		var union NeighbourCapacity
		var layouts []layout
		for start := 0; start <= max(0, len(rows)-length); start++ {
			run, on := p.Used(rows[start:min(start+length, len(rows))])
			counts := make([]int32, n)
			for u, list := range neighbours(run) {
				counts[u] = int32(len(list))
			}
			union = union.With(capacityOf(counts))
			l, err := Sparse.layout(capacity, []*dyngraph.Pattern{run, run})
			if err != nil {
				t.Fatal(err)
			}
			layouts = append(layouts, l.fit([][][]float64{on, on}))
		}
		if !slices.Equal(capacity.most, union.most) {
			t.Fatalf("capacity %v, want %v", capacity.most, union.most)
		}
		for i, l := range layouts {
			if l.Form != layouts[0].Form {
				t.Fatalf("form of run %d is %+v, of run 0 %+v", i, l.Form, layouts[0].Form)
			}
			for j, table := range l.tables() {
				if want := layouts[0].tables()[j].Shape(); !table.Shape().Equal(want) {
					t.Fatalf("table %d of run %d is %s, of run 0 %s", j, i, table.Shape(), want)
				}
			}
		}
	})
}

// A graph beyond its capacity uses a larger one, and a graph with another number of nodes is an error.
func TestBeyondCapacity(t *testing.T) {
	few := graph(t, 9, 1, 0)
	capacity, _, err := WindowCapacity(few, 1, 1, func(int) ([]float64, error) {
		return make([]float64, few.Edges()), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*dyngraph.Pattern{few, graph(t, 9, 3, 8)} {
		got, err := Sparse.layout(capacity, []*dyngraph.Pattern{p})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Sparse.layout(NeighbourCapacity{}, []*dyngraph.Pattern{p})
		if err != nil {
			t.Fatal(err)
		}
		if got.buckets.entries != want.buckets.entries {
			t.Errorf("%d entries, want %d", got.buckets.entries, want.buckets.entries)
		}
	}
	if _, err := Sparse.layout(capacity, []*dyngraph.Pattern{graph(t, 8, 1, 0)}); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("capacity of other nodes: %v, want dyngraph.ErrInvalid", err)
	}
}
