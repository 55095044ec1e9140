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

// priorEntry returns the logit and the terms of entry e, with zeros for terms that it does not have.
func priorEntry(a *dyngraph.Affinities, e int) []float64 {
	entry := make([]float64, 1+PriorTerms)
	copy(entry, a.Values[e*(1+a.Terms):(e+1)*(1+a.Terms)])
	return entry
}

// nextPowerOfTwo returns the length of an array for count entries: a power of two, so that few shapes are compiled.
func nextPowerOfTwo(count int) int { return 1 << bits.Len(uint(max(count, 1)-1)) }

// Batch implements [Head].
func (h Ranking) Batch(samples []Sample, saves int) (seen, targets []Array, err error) {
	rows, entries, prior := 0, 0, 0
	for _, s := range samples {
		rows = max(rows, len(s.asks(h.Nodes)))
		if s.Affinities != nil {
			entries = max(entries, len(s.Affinities.Classes))
		}
		if s.Prior != nil {
			prior = max(prior, len(s.Prior.Classes))
		}
	}
	rows, entries, prior = min(nextPowerOfTwo(rows), h.Nodes), nextPowerOfTwo(entries), nextPowerOfTwo(prior)
	if total := len(samples) * rows * h.Outputs; total > math.MaxInt32 {
		return nil, nil, invalid("a batch of %d windows with logits of %d nodes for %d classes, more than %d in all: take a "+
			"smaller BatchSize, or fewer classes", len(samples), rows, h.Outputs, math.MaxInt32)
	}
	var asked, indices, priorIndices []int32
	var weights, values, totals, priorValues []float64
	for i, s := range samples {
		weights = append(weights, weightsOf(s, saves)...)
		nodes := s.asks(h.Nodes)
		first := int32(i * rows * h.Outputs) // indices are into the logits of the whole batch
		row := make(map[int32]int32, len(nodes))
		for r, node := range nodes {
			row[node] = int32(r)
		}
		for r := range rows {
			asked = append(asked, int32(i*h.Nodes)+nodes[min(r, len(nodes)-1)])
		}
		if affinities := s.Affinities; affinities != nil {
			share := 1 / float64(affinities.Rows())
			for r := range affinities.Rows() {
				_, classes, all := affinities.Row(r)
				total := 0.0
				for k, class := range classes {
					indices, values = append(indices, first+int32(r*h.Outputs)+class), append(values, all[k]*share)
					total += all[k] * share
				}
				totals = append(totals, total)
			}
		}
		for k := range s.Prior.Rows() {
			r, asked := row[s.Prior.Nodes[k]]
			for e := s.Prior.Start[k]; asked && e < s.Prior.Start[k+1]; e++ {
				priorIndices = append(priorIndices, first+r*int32(h.Outputs)+s.Prior.Classes[e])
				priorValues = append(priorValues, priorEntry(s.Prior, e)...)
			}
		}
		for len(indices) < (i+1)*entries {
			indices, values = append(indices, first), append(values, 0)
		}
		totals = append(totals, make([]float64, (i+1)*rows-len(totals))...)
		for len(priorIndices) < (i+1)*prior {
			priorIndices = append(priorIndices, first)
			priorValues = append(priorValues, make([]float64, 1+PriorTerms)...)
		}
	}
	b := len(samples)
	seen = []Array{{Ints: asked, Dims: []int{b, rows}}}
	if h.Residual {
		seen = append(seen, Array{Ints: priorIndices, Dims: []int{b, prior}},
			Array{Floats: priorValues, Dims: []int{b, prior, 1 + PriorTerms}})
	}
	return seen, []Array{{Floats: weights, Dims: []int{b, saves}}, {Ints: indices, Dims: []int{b, entries}},
		{Floats: values, Dims: []int{b, entries}}, {Floats: totals, Dims: []int{b, rows}}}, nil
}

// addPrior adds the rows of a window's affinities whose nodes have prior logits.
func addPrior(s *softmax.Sums, w dyngraph.Window) {
	affinities, prior := w.Affinities(), priorAt(w)
	if prior == nil {
		return
	}
	for i := range affinities.Rows() {
		node, classes, values := affinities.Row(i)
		at, found := slices.BinarySearch(prior.Nodes, int32(node))
		total := floats.Sum(values)
		if !found || total == 0 {
			continue
		}
		r := softmax.Row{Others: w.Series.Classes}
		for e := prior.Start[at]; e < prior.Start[at+1]; e++ {
			entry, share := priorEntry(prior, e), 0.0
			if k, found := slices.BinarySearch(classes, prior.Classes[e]); found {
				share = values[k] / total
			}
			r.Logits, r.Terms, r.Shares = append(r.Logits, entry[0]), append(r.Terms, entry[1:]), append(r.Shares, share)
			r.Others--
		}
		s.Add(r)
	}
}
