package head

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/softmax"
)

// asks returns the nodes whose logits are needed: the nodes with a row of affinities to compare with, or all n nodes.
func (s Sample) asks(n int) []int32 {
	if s.Affinities != nil {
		return s.Affinities.Nodes
	}
	all := make([]int32, n)
	for u := range all {
		all[u] = int32(u)
	}
	return all
}

// knownSize is the number of values of each entry of Known.
const knownSize = 1 + dyngraph.KnownTerms

// nextPowerOfTwo returns the length of an array for count entries: a power of two, so that few shapes are compiled.
func nextPowerOfTwo(count int) int { return 1 << bits.Len(uint(max(count, 1)-1)) }

// Batch implements [Head].
func (h Ranking) Batch(samples []Sample, saves int) (seen, met []Array, err error) {
	rows, entries, known := 0, 0, 0
	for _, s := range samples {
		rows = max(rows, len(s.asks(h.Nodes)))
		if s.Affinities != nil {
			entries = max(entries, len(s.Affinities.Classes))
		}
		if s.Known != nil {
			known = max(known, len(s.Known.Classes))
		}
	}
	rows, entries, known = min(nextPowerOfTwo(rows), h.Nodes), nextPowerOfTwo(entries), nextPowerOfTwo(known)
	if total := len(samples) * rows * h.Outputs; total > math.MaxInt32 {
		return nil, nil, invalid("a batch of %d windows with logits of %d nodes for %d classes, more than %d in all: take a "+
			"smaller BatchSize, or fewer classes", len(samples), rows, h.Outputs, math.MaxInt32)
	}
	var asked, places, knownPlaces []int32
	var weights, values, totals, knownValues []float64
	for i, s := range samples {
		weights = append(weights, weightsOf(s, saves)...)
		nodes := s.asks(h.Nodes)
		first := int32(i * rows * h.Outputs) // places are indices into the logits of the whole batch
		row := make(map[int32]int32, len(nodes))
		for r, node := range nodes {
			row[node] = int32(r)
		}
		for r := range rows {
			asked = append(asked, int32(i*h.Nodes)+nodes[min(r, len(nodes)-1)])
		}
		if met := s.Affinities; met != nil {
			share := 1 / float64(met.Rows())
			for r := range met.Rows() {
				_, classes, all := met.Row(r)
				total := 0.0
				for k, class := range classes {
					places, values = append(places, first+int32(r*h.Outputs)+class), append(values, all[k]*share)
					total += all[k] * share
				}
				totals = append(totals, total)
			}
		}
		for k := range s.Known.Rows() {
			r, asked := row[s.Known.Nodes[k]]
			for e := s.Known.Start[k]; asked && e < s.Known.Start[k+1]; e++ {
				knownPlaces = append(knownPlaces, first+r*int32(h.Outputs)+s.Known.Classes[e])
				knownValues = append(knownValues, s.Known.Values[e*knownSize:(e+1)*knownSize]...)
			}
		}
		for len(places) < (i+1)*entries {
			places, values = append(places, first), append(values, 0)
		}
		totals = append(totals, make([]float64, (i+1)*rows-len(totals))...)
		for len(knownPlaces) < (i+1)*known {
			knownPlaces = append(knownPlaces, first)
			knownValues = append(knownValues, make([]float64, knownSize)...)
		}
	}
	b := len(samples)
	seen = []Array{{Ints: asked, Dims: []int{b, rows}}}
	if h.Residual {
		seen = append(seen, Array{Ints: knownPlaces, Dims: []int{b, known}},
			Array{Floats: knownValues, Dims: []int{b, known, knownSize}})
	}
	return seen, []Array{{Floats: weights, Dims: []int{b, saves}}, {Ints: places, Dims: []int{b, entries}},
		{Floats: values, Dims: []int{b, entries}}, {Floats: totals, Dims: []int{b, rows}}}, nil
}

// addKnown adds the rows of a window's affinities whose nodes have known affinities.
func addKnown(s *softmax.Sums, w dyngraph.Window) {
	met, known := w.Affinities(), knownAt(w)
	if known == nil {
		return
	}
	for i := range met.Rows() {
		node, classes, values := met.Row(i)
		at, found := slices.BinarySearch(known.Nodes, int32(node))
		total := floats.Sum(values)
		if !found || total == 0 {
			continue
		}
		r := softmax.Row{Others: w.Series.Classes}
		for e := known.Start[at]; e < known.Start[at+1]; e++ {
			entry, share := known.Values[e*knownSize:(e+1)*knownSize], 0.0
			if k, found := slices.BinarySearch(classes, known.Classes[e]); found {
				share = values[k] / total
			}
			r.Logits, r.Terms, r.Shares = append(r.Logits, entry[0]), append(r.Terms, entry[1:]), append(r.Shares, share)
			r.Others--
		}
		s.Add(r)
	}
}
