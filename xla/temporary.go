package xla

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// Temporary estimates the bytes that a call with inputs of these shapes needs while it runs, beside inputs and outputs.
// It builds the graph and compiles nothing: GoMLX does not hand on what PJRT knows of a compiled program.
//
// It is the most that is alive at once when operations run in the order in which they were built and each result stays
// until the last that reads it has run. Results that XLA makes inside of what reads them count nothing. Take it as good
// to a third for a pullback; XLA takes 2 to 4 times as much for a step alone, parts of which it runs in parallel.
func (p *Program) Temporary(inputs ...shapes.Shape) (bytes int64, err error) {
	err = panics.Catch(func() {
		g := graph.NewGraph(p.backend.Compute, p.name)
		defer g.Finalize()
		in := make([]*graph.Node, len(inputs))
		for i, shape := range inputs {
			in[i] = graph.Parameter(g, fmt.Sprintf("input %d", i), shape)
		}
		outputs := p.build(in)
		bytes = alive(g.Nodes(), outputs)
	})
	var build *BuildError
	if err != nil && !errors.As(err, &build) {
		err = &BuildError{Program: p.name, Err: err}
	}
	return bytes, err
}

// alive counts for the nodes of a graph, inputs before what reads them, as far as the outputs need them.
func alive(nodes, outputs []*graph.Node) (most int64) {
	readers := make(map[*graph.Node]int, len(nodes))
	for _, output := range outputs {
		readers[output]++
	}
	for _, node := range slices.Backward(nodes) {
		count := min(readers[node], 1)
		if view(node) {
			count = readers[node]
		}
		for _, input := range node.Inputs() {
			readers[input] += count
		}
	}
	parts := make(map[*graph.Node][]*graph.Node, len(nodes)) // results in memory that a node is made of
	last := make(map[*graph.Node]*graph.Node)                // to read a result
	var stored []*graph.Node
	for _, node := range nodes {
		if readers[node] == 0 {
			continue
		}
		var from []*graph.Node
		for _, input := range node.Inputs() {
			from = append(from, parts[input]...)
		}
		slices.SortFunc(from, func(a, b *graph.Node) int { return cmp.Compare(a.Id(), b.Id()) })
		from = slices.Compact(from)
		if view(node) || inside(node, readers[node]) {
			parts[node] = from
			continue
		}
		parts[node], stored = []*graph.Node{node}, append(stored, node)
		for _, part := range from {
			last[part] = node
		}
	}
	given := make(map[*graph.Node]bool) // outputs, which are not temporary
	for _, output := range outputs {
		for _, part := range parts[output] {
			given[part] = true
		}
	}
	freed := make(map[*graph.Node]int64) // when a node has run
	now := int64(0)
	for _, node := range stored {
		if node.Type() != graph.NodeTypeParameter && !given[node] {
			size := int64(node.Shape().ByteSize())
			now += size
			freed[last[node]] += size
		}
		most = max(most, now)
		now -= freed[node]
	}
	return most
}

// view says that a node is what it reads, in another shape, or that its results, of which there are several, are nodes
// of their own.
func view(node *graph.Node) bool {
	switch node.Type() {
	case graph.NodeTypeReshape, graph.NodeTypeIdentity, graph.NodeTypeOptimizationBarrier,
		graph.NodeTypeSchedulingBarrier:
		return true
	}
	return node.NumOutputs() > 1
}

// inside says that XLA makes a result inside of what reads it: one that is made entry by entry, of which there is one
// reader or which costs next to nothing.
func inside(node *graph.Node, readers int) bool {
	switch node.Type() {
	case graph.NodeTypeConstant, graph.NodeTypeIota, graph.NodeTypeBroadcastInDim, graph.NodeTypeSlice,
		graph.NodeTypeConvertDType, graph.NodeTypeTranspose:
		return true
	case graph.NodeTypeParameter, graph.NodeTypeDotGeneral, graph.NodeTypeGather, graph.NodeTypeConcatenate,
		graph.NodeTypePad, graph.NodeTypeReduceSum, graph.NodeTypeReduceMax, graph.NodeTypeReduceMin,
		graph.NodeTypeReduceProduct, graph.NodeTypeScatterSum, graph.NodeTypeScatterMax, graph.NodeTypeScatterMin,
		graph.NodeTypeDynamicSlice, graph.NodeTypeDynamicUpdateSlice, graph.NodeTypeSplitNode:
		return false
	}
	return readers < 2
}
