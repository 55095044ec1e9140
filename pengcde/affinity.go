package pengcde

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// affinity is what a sample has for Output Affinity.
type affinity struct {
	// met are the rows to be met; nil where only forecasts, of all nodes, are wanted.
	met *dyngraph.Affinities
	// past has of each entry that is known of earlier snapshots the node, the class and [pastChannels] values.
	nodes, classes []int32
	past           []float64
}

// Channels of what is known of earlier rows, for a residual readout: the newest row, the one before it, and the mean of
// the last pastWindow; each value a as log(1 + a/pastScale), so that shares of a thousandth still count.
const (
	pastChannels = 3
	pastWindow   = 7
	pastScale    = 1e-4
)

// remember looks up what is known of a window's nodes at its last input.
func (a *affinity) remember(w dyngraph.Window) {
	record := &dyngraph.Record{Window: pastWindow}
	for _, rows := range w.Series.Affinities[:min(w.Start+w.Inputs(), len(w.Series.Affinities))] {
		record.Learn(rows)
	}
	for node := range w.Series.Nodes() {
		record.Known(node, func(class int32, newest, before, mean float64) {
			a.nodes, a.classes = append(a.nodes, int32(node)), append(a.classes, class)
			for _, value := range []float64{newest, before, mean} {
				a.past = append(a.past, math.Log1p(value/pastScale))
			}
		})
	}
}

// write writes what training learns from.
func (a affinity) write(w io.Writer) error {
	rows, starts := a.met, make([]int64, len(a.met.Start))
	for i, start := range rows.Start {
		starts[i] = int64(start)
	}
	for _, part := range []any{rows.Nodes, starts, rows.Classes, rows.Values, a.nodes, a.classes, a.past} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
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

// rounded is the length of an array for count entries, a power of two, so that few shapes are compiled.
func rounded(count int) int { return 1 << bits.Len(uint(max(count, 1)-1)) }

// ranked are the tensors of a batch for Output Affinity, in the order of [batch.met] behind the weights.
type ranked struct {
	asked *tensors.Tensor // [B, R] nodes that logits are wanted of, b·n+u for node u of sample b
	// Entries to be met, [B, E]: places r·C+c of their row r and class c, and values. totals [B, R] are the sums of rows.
	// Both are divided by the number of rows; what fills up has the value 0.
	places, values, totals *tensors.Tensor
	// What is known of earlier rows, [B, H] places and [B, H, pastChannels] values, where the readout is residual.
	pastPlaces, past *tensors.Tensor
}

// rank makes the tensors of samples.
func (b *batch) rank(cfg Config, samples []sample, own func(entries []float64, dims ...int) *tensors.Tensor) error {
	rows, entries, known := 0, 0, 0
	for _, s := range samples {
		rows, known = max(rows, len(s.affinity.asks(cfg.Nodes))), max(known, len(s.affinity.nodes))
		if s.affinity.met != nil {
			entries = max(entries, len(s.affinity.met.Classes))
		}
	}
	rows, entries, known = min(rounded(rows), cfg.Nodes), rounded(entries), rounded(known)
	if total := len(samples) * rows * cfg.Outputs; total > math.MaxInt32 {
		return invalid("a batch of %d windows with logits of %d nodes for %d classes, more than %d in all: take a smaller "+
			"BatchSize", len(samples), rows, cfg.Outputs, math.MaxInt32)
	}
	var asked, places, pastPlaces []int32
	var values, totals, past []float64
	for i, s := range samples {
		nodes := s.affinity.asks(cfg.Nodes)
		first := int32(i * rows * cfg.Outputs) // places count through the batch
		row := make(map[int32]int32, len(nodes))
		for r, node := range nodes {
			row[node] = int32(r)
		}
		for r := range rows {
			asked = append(asked, int32(i*cfg.Nodes)+nodes[min(r, len(nodes)-1)])
		}
		if met := s.affinity.met; met != nil {
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
		for k, node := range s.affinity.nodes {
			if r, found := row[node]; found {
				pastPlaces = append(pastPlaces, first+r*int32(cfg.Outputs)+s.affinity.classes[k])
				past = append(past, s.affinity.past[k*pastChannels:(k+1)*pastChannels]...)
			}
		}
		for len(places) < (i+1)*entries {
			places, values = append(places, first), append(values, 0)
		}
		totals = append(totals, make([]float64, (i+1)*rows-len(totals))...)
		for len(pastPlaces) < (i+1)*known {
			pastPlaces, past = append(pastPlaces, first), append(past, make([]float64, pastChannels)...)
		}
	}
	whole := func(flat []int32, size int) *tensors.Tensor {
		return b.owned.Own(tensors.FromFlatDataAndDimensions(flat, len(samples), size))[0]
	}
	b.ranked = &ranked{asked: whole(asked, rows), places: whole(places, entries), values: own(values, entries),
		totals: own(totals, rows)}
	if cfg.Residual {
		b.ranked.pastPlaces, b.ranked.past = whole(pastPlaces, known), own(past, known, pastChannels)
	}
	return nil
}

// seen are what logits are made of beside states.
func (r *ranked) seen() []*tensors.Tensor {
	if r.past == nil {
		return []*tensors.Tensor{r.asked}
	}
	return []*tensors.Tensor{r.asked, r.pastPlaces, r.past}
}

// met are what logits are compared with.
func (r *ranked) met() []*tensors.Tensor { return []*tensors.Tensor{r.places, r.values, r.totals} }
