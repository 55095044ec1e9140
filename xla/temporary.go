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

// Temporary estimates the temporary memory in bytes of a call with inputs of these shapes, without inputs and outputs.
// It builds the graph and compiles nothing: GoMLX does not expose PJRT's figures for a compiled program.
//
// The estimate is the maximum number of live bytes if operations run in the order in which they were built, and each
// result is freed after its last use. Results that XLA fuses into their reader count 0. Expect an accuracy of a third
// for a pullback. XLA uses 2 to 4 times the estimate for a forward step, since it runs parts of it in parallel.
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

// alive returns the maximum number of live bytes. nodes are in order, each after its inputs; only nodes that the
// outputs depend on count.
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
	parts := make(map[*graph.Node][]*graph.Node, len(nodes)) // the results in memory that a node consists of
	last := make(map[*graph.Node]*graph.Node)                // the last reader of a result
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
	freed := make(map[*graph.Node]int64) // bytes freed after a node has run
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

// view reports whether a node is a reshape of its input, or has several results, each with its own node.
func view(node *graph.Node) bool {
	switch node.Type() {
	case graph.NodeTypeReshape, graph.NodeTypeIdentity, graph.NodeTypeOptimizationBarrier,
		graph.NodeTypeSchedulingBarrier:
		return true
	}
	return node.NumOutputs() > 1
}

// inside reports whether XLA fuses a result into its reader: a result made entry by entry, with one reader or at almost
// no cost.
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
