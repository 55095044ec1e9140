package tokens

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
)

// sequences are k slots for events in each of some rows.
type sequences struct {
	k                  int
	peer               []int32
	age, weight, there []float64
}

func newSequences(rows, k int) *sequences {
	return &sequences{k, make([]int32, rows*k), make([]float64, rows*k), make([]float64, rows*k), make([]float64, rows*k)}
}

// put puts an event at a slot of a row, as seen at a time.
func (s *sequences) put(row, slot int, at float64, c ranker.Contact) {
	i := row*s.k + slot
	s.peer[i], s.age[i], s.weight[i], s.there[i] = c.Other, at-c.Time, c.Weight, 1
}

// putLast puts events at the end of a row. Empty slots have the age of an event at time 0, as published.
func (s *sequences) putLast(row int, at float64, contacts []ranker.Contact) {
	for slot := range s.k - len(contacts) {
		s.age[row*s.k+slot] = at
	}
	for j, c := range contacts {
		s.put(row, s.k-len(contacts)+j, at, c)
	}
}

// tensors returns peer, age, weight and there with axes dims before the last, k.
func (s *sequences) tensors(n *Network, dims ...int) []*tensors.Tensor {
	dims = append(dims, s.k)
	one := append(dims[:len(dims):len(dims)], 1)
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(s.peer, dims...), n.core.Tensor(s.age, one...),
		n.core.Tensor(s.weight, one...), n.core.Tensor(s.there, dims...)}
}

// drawn draws events of a node, the same for a seed, a question and an epoch.
func (n *Network) drawn(u int32, at float64, epoch int) []ranker.Contact {
	mixed := fnv.New128a()
	for _, part := range []uint64{n.seed, uint64(epoch), uint64(u), math.Float64bits(at)} {
		mixed.Write(binary.LittleEndian.AppendUint64(nil, part)) // never fails
	}
	sum := mixed.Sum(nil)
	random := rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])))
	return n.history.Draw(u, n.layers.Neighbours, n.layers.Decay, random)
}

// events returns the inputs of [eventsOf] for nodes at a time.
func (n *Network) events(nodes []int32, at float64, epoch int) []*tensors.Tensor {
	q, k := ranker.Padded(len(nodes)), n.layers.Neighbours
	node := make([]int32, q)
	copy(node, nodes)
	in, events := []*tensors.Tensor{tensors.FromValue(node)}, newSequences(q, k)
	switch {
	case n.layers.Decay > 0:
		for i, u := range nodes {
			events.putLast(i, at, n.drawn(u, at, epoch))
		}
		return append(in, events.tensors(n, q)...)
	case n.history != nil:
		earlier := newSequences(q*k, k)
		for i, u := range nodes {
			newest := n.history.Newest(u, k)
			events.putLast(i, at, newest)
			for j, c := range newest {
				earlier.putLast(i*k+k-len(newest)+j, c.Time, n.history.Before(c.Other, c.Time, k))
			}
		}
		return append(append(in, events.tensors(n, q)...), earlier.tensors(n, q, k)...)
	}
	for i, u := range nodes {
		begin := 0
		if n.layers.Encoder != Patches { // which fills sequences up at their end
			begin = k - n.recent.Count(u)
		}
		n.recent.Each(u, func(j int, c ranker.Contact) { events.put(i, begin+j, at, c) })
	}
	return append(in, events.tensors(n, q)...)
}
