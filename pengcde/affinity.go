package pengcde

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/softmax"
)

// affinity is what a sample has for Output Affinity.
type affinity struct {
	// met are the rows to be met; nil where only forecasts, of all nodes, are wanted.
	met *dyngraph.Affinities
	// known has what a residual readout begins with; nil without one.
	known *dyngraph.Affinities
}

// write writes what training learns from.
func (a affinity) write(w io.Writer) error {
	for _, rows := range []*dyngraph.Affinities{a.met, a.known} {
		if rows == nil {
			continue
		}
		starts := make([]int64, len(rows.Start))
		for i, start := range rows.Start {
			starts[i] = int64(start)
		}
		for _, part := range []any{rows.Nodes, starts, rows.Classes, rows.Values} {
			if err := binary.Write(w, binary.LittleEndian, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// asks says which nodes logits are wanted of: those with a row to be met, else all of n.
func (a affinity) asks(n int) []int32 {
	if a.met != nil {
		return a.met.Nodes
	}
	all := make([]int32, n)
	for u := range all {
		all[u] = int32(u)
	}
	return all
}

// knownSize is the number of values of each known entry.
const knownSize = 1 + dyngraph.KnownTerms

// rounded is the length of an array for count entries, a power of two, so that few shapes are compiled.
func rounded(count int) int { return 1 << bits.Len(uint(max(count, 1)-1)) }

// ranked are the tensors of a batch for Output Affinity, in the order of [batch.met] behind the weights.
type ranked struct {
	asked *tensors.Tensor // [B, R] nodes that logits are wanted of, b·n+u for node u of sample b
	// Entries to be met, [B, E]: places r·C+c of their row r and class c, and values. totals [B, R] are the sums of rows.
	// Both are divided by the number of rows; what fills up has the value 0.
	places, values, totals *tensors.Tensor
	// Known entries, [B, H] places and [B, H, 1+KnownTerms] values, where the readout is residual.
	knownPlaces, known *tensors.Tensor
}

// rank makes the tensors of samples.
func (b *batch) rank(cfg Config, samples []sample, own func(entries []float64, dims ...int) *tensors.Tensor) error {
	rows, entries, known := 0, 0, 0
	for _, s := range samples {
		rows = max(rows, len(s.asks(cfg.Nodes)))
		if s.met != nil {
			entries = max(entries, len(s.met.Classes))
		}
		if s.known != nil {
			known = max(known, len(s.known.Classes))
		}
	}
	rows, entries, known = min(rounded(rows), cfg.Nodes), rounded(entries), rounded(known)
	if total := len(samples) * rows * cfg.Outputs; total > math.MaxInt32 {
		return invalid("a batch of %d windows with logits of %d nodes for %d classes, more than %d in all: take a smaller "+
			"BatchSize, or fewer classes", len(samples), rows, cfg.Outputs, math.MaxInt32)
	}
	var asked, places, knownPlaces []int32
	var values, totals, knownValues []float64
	for i, s := range samples {
		nodes := s.asks(cfg.Nodes)
		first := int32(i * rows * cfg.Outputs) // places count through the batch
		row := make(map[int32]int32, len(nodes))
		for r, node := range nodes {
			row[node] = int32(r)
		}
		for r := range rows {
			asked = append(asked, int32(i*cfg.Nodes)+nodes[min(r, len(nodes)-1)])
		}
		if met := s.met; met != nil {
			share := 1 / float64(met.Rows())
			for r := range met.Rows() {
				_, classes, all := met.Row(r)
				total := 0.0
				for k, class := range classes {
					places, values = append(places, first+int32(r*cfg.Outputs)+class), append(values, all[k]*share)
					total += all[k] * share
				}
				totals = append(totals, total)
			}
		}
		for k := range s.known.Rows() {
			r, asked := row[s.known.Nodes[k]]
			for e := s.known.Start[k]; asked && e < s.known.Start[k+1]; e++ {
				knownPlaces = append(knownPlaces, first+r*int32(cfg.Outputs)+s.known.Classes[e])
				knownValues = append(knownValues, s.known.Values[e*knownSize:(e+1)*knownSize]...)
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
	whole := func(flat []int32, size int) *tensors.Tensor {
		return b.owned.Own(tensors.FromFlatDataAndDimensions(flat, len(samples), size))[0]
	}
	b.ranked = &ranked{asked: whole(asked, rows), places: whole(places, entries), values: own(values, entries),
		totals: own(totals, rows)}
	if cfg.Residual {
		b.ranked.knownPlaces = whole(knownPlaces, known)
		b.ranked.known = own(knownValues, known, knownSize)
	}
	return nil
}

// seen are what logits are made of beside states.
func (r *ranked) seen() []*tensors.Tensor {
	if r.known == nil {
		return []*tensors.Tensor{r.asked}
	}
	return []*tensors.Tensor{r.asked, r.knownPlaces, r.known}
}

// met are what logits are compared with.
func (r *ranked) met() []*tensors.Tensor { return []*tensors.Tensor{r.places, r.values, r.totals} }

// startKnown puts the coefficients of a residual readout for Output Affinity to what fits training windows: they minimise
// the mean cross-entropy of their rows, each divided by its sum, plus knownPenalty/2 times their square.
func (m *Model) startKnown(training []dyngraph.Window) error {
	if m.config.Output != Affinity || !m.config.Residual {
		return nil
	}
	const knownPenalty = 1e-4
	for _, w := range training {
		if err := m.check(w); err != nil {
			return err
		}
	}
	b, err := softmax.Fit(dyngraph.KnownTerms, knownPenalty, func(s *softmax.Sums) error {
		for _, w := range training {
			addKnown(s, w)
		}
		return nil
	})
	if errors.Is(err, softmax.ErrNoRows) { // nothing is known of any node
		return nil
	}
	if err != nil {
		return invalid("known affinities (Series.Known): %v", err)
	}
	m.setParam(knownName, b)
	return nil
}

// addKnown adds the rows of a window's affinities of which anything is known.
func addKnown(s *softmax.Sums, w dyngraph.Window) {
	met, known := w.Affinities(), w.Series.Known[w.Start+w.Inputs()-1]
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
