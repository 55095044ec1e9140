package affinity

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// GatedState is a linear state-space model of each node with learned gates, in the manner of NAViS. When a node's row x
// of labels becomes known, its state h moves between moving average and newest row,
//
//	h <- z h + (1-z) x,  z = sigmoid(w·(x, h, g, 1))
//
// and scores lie between state and newest row,
//
//	y = s h + (1-s) x,  s = sigmoid(v·(x, h, g, 1))
//
// where g is the mean row of all nodes at the newest label time, and for z at the label time before it. With z and s
// fixed this is a moving average, with s = 0 Persistent Forecast. The weights w and v are the same for all nodes. They
// are trained by AdamW on a ranking loss: logistic losses of pairs of classes, each weighted by the change of the NDCG
// if the two were swapped. The other loss is the cross-entropy of shares. States before the last step are constants for
// the gradient. The best epoch is the one with the highest NDCG on validation.
//
// O. Feldman, K. S. I. Mantri, M. Eliasof, C. Baskin, Revisiting Node Affinity Prediction in Temporal Graphs,
// arXiv:2510.06940, 2025, for the state, the gates and the global row; C. Burges, From RankNet to LambdaRank to
// LambdaMART: An Overview, 2010, for the loss.
type GatedState struct {
	labelsOnly
	// Epochs is the number of passes through the training questions; 0 means 20.
	Epochs int `json:"Epochs"`
	// LearningRate is AdamW's learning rate; 0 means 0.01. WeightDecay pulls weights to 0.
	LearningRate float64 `json:"LearningRate"`
	WeightDecay  float64 `json:"WeightDecay"`
	// CrossEntropy trains on -Σ a log((y + 0.0001) / Σ (y + 0.0001)) for the shares a of classes, in place of the ranking
	// loss.
	CrossEntropy bool `json:"CrossEntropy,omitzero"`

	weights gateWeights
	classes int
	nodes   map[int32]*gatedNode
	global  row
}

// gateWeights are the weights [2][3*classes+1] of z and s, for x, h, g and 1.
type gateWeights [2][]float64

// gatedNode holds a node's newest row x, its state h, and the state, the global row and the gate of the last step.
type gatedNode struct {
	x, h           row
	before, global row
	z              float64
	steps          int
}

// Reset forgets all labels.
func (m *GatedState) Reset(task Task) {
	m.classes, m.nodes, m.global = task.Classes, make(map[int32]*gatedNode), row{}
	if size := 3*task.Classes + 1; len(m.weights[0]) != size {
		m.weights = newGateWeights(size)
	}
}

// newGateWeights returns weights for constant gates of 0.27.
func newGateWeights(size int) (w gateWeights) {
	for gate := range w {
		w[gate] = make([]float64, size)
		w[gate][size-1] = -1
	}
	return w
}

// gate returns the gate of a row, a state and the global row.
func (m *GatedState) gate(which int, x, h, g row) float64 {
	w := m.weights[which]
	sum := w[len(w)-1]
	for k, one := range []row{x, h, g} {
		for i, class := range one.classes {
			sum += w[k*m.classes+int(class)] * one.weights[i]
		}
	}
	return 1 / (1 + math.Exp(-sum))
}

// Learn updates the states.
func (m *GatedState) Learn(labels Labels) error {
	sums := make(map[int32]float64)
	for u, x := range labels.rows() {
		for i, class := range x.classes {
			sums[class] += x.weights[i] / float64(len(labels.Nodes))
		}
		node := m.nodes[u]
		if node == nil {
			m.nodes[u] = &gatedNode{x: x, h: x, steps: 1}
			continue
		}
		z := m.gate(0, x, node.h, m.global)
		*node = gatedNode{x: x, h: node.h.mixed(z, x), before: node.h, global: m.global, z: z, steps: node.steps + 1}
	}
	m.global = rowOf(sums)
	return nil
}

// Forecast writes the scores.
func (m *GatedState) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	for k, u := range nodes {
		node := m.nodes[u]
		if node == nil {
			continue
		}
		y := m.scores(node)
		for i, class := range y.classes {
			scores[k*m.classes+int(class)] = y.weights[i]
		}
	}
	return nil
}

// Prior returns the logits log(1 + y/0.0001) of scores y for [dyngraph.Series], of nodes that have had labels. nodes
// must increase; nil means all nodes.
func (m *GatedState) Prior(nodes []int32) *dyngraph.Affinities {
	if nodes == nil {
		nodes = slices.Sorted(maps.Keys(m.nodes))
	}
	a := &dyngraph.Affinities{Start: []int{0}}
	for _, u := range nodes {
		node := m.nodes[u]
		if node == nil {
			continue
		}
		y := m.scores(node)
		a.Nodes, a.Classes = append(a.Nodes, u), append(a.Classes, y.classes...)
		for _, weight := range y.weights {
			a.Values = append(a.Values, math.Log1p(weight/logScale))
		}
		a.Start = append(a.Start, len(a.Classes))
	}
	return a
}

// scores returns the scores of a node.
func (m *GatedState) scores(node *gatedNode) row {
	return node.h.mixed(m.gate(1, node.x, node.h, m.global), node.x)
}

// Train fits the gates.
func (m *GatedState) Train(ctx context.Context, past *Plan) error {
	rate := cmp.Or(m.LearningRate, 0.01)
	if m.Epochs < 0 || !(rate > 0) || !(m.WeightDecay >= 0) || math.IsInf(rate, 1) || math.IsInf(m.WeightDecay, 1) {
		return invalid("gated states with %d epochs, learning rate %g and weight decay %g, want 0 for the default or a positive "+
			"number", m.Epochs, m.LearningRate, m.WeightDecay)
	}
	size := 3*past.Classes + 1
	m.weights = newGateWeights(size)
	best, bestScore := m.weights, math.Inf(-1)
	optimiser := newAdam(rate, m.WeightDecay, 2*size)
	validated := slices.ContainsFunc(past.Questions, func(q Question) bool { return q.Part == Validation })
	for epoch := 0; ; epoch++ {
		if validated {
			report, err := Score(ctx, past, m, Validation)
			if err != nil {
				return err
			}
			if score := report.Mean(Validation); score > bestScore {
				best, bestScore = gateWeights{slices.Clone(m.weights[0]), slices.Clone(m.weights[1])}, score
			}
		}
		if epoch == cmp.Or(m.Epochs, 20) {
			break
		}
		if err := past.Walk(ctx, &gateTrainer{m, optimiser}); err != nil {
			return err
		}
	}
	if validated {
		m.weights = best
	}
	return nil
}

// gateTrainer takes a step of the optimiser for each training question.
type gateTrainer struct {
	*GatedState
	optimiser *adam
}

func (t *gateTrainer) Ask(q Question, answer Labels) error {
	if q.Part != Train {
		return nil
	}
	gradient := gateWeights{make([]float64, len(t.weights[0])), make([]float64, len(t.weights[0]))}
	for u, own := range answer.rows() {
		if node := t.nodes[u]; node != nil {
			t.slope(node, own, 1/float64(len(answer.Nodes)), gradient)
		}
	}
	t.optimiser.step([][]float64{t.weights[0], t.weights[1]}, [][]float64{gradient[0], gradient[1]})
	return nil
}

// loss returns the loss of scores y, and its derivative with respect to each entry of y.
func (m *GatedState) loss(y, answer, newest row) (loss float64, derivative []float64) {
	if m.CrossEntropy {
		return shareLoss(y, answer, m.classes)
	}
	return rankingLoss(y, answer, steepness(newest))
}

// slope adds the gradient of a node's loss, times share, to gradient and returns the loss.
func (m *GatedState) slope(node *gatedNode, answer row, share float64, gradient gateWeights) float64 {
	s := m.gate(1, node.x, node.h, m.global)
	y := node.h.mixed(s, node.x)
	loss, dy := m.loss(y, answer, node.x)
	var ds, dz float64 // derivatives of the loss with respect to the gates
	for i, class := range y.classes {
		ds += dy[i] * (node.h.at(class) - node.x.at(class))
	}
	for i, class := range y.classes { // z changes h, which s depends on
		by := dy[i]*s + ds*s*(1-s)*m.weights[1][m.classes+int(class)]
		dz += by * (node.before.at(class) - node.x.at(class))
	}
	for gate, one := range []struct {
		slope   float64
		x, h, g row
	}{{dz * node.z * (1 - node.z), node.x, node.before, node.global}, {ds * s * (1 - s), node.x, node.h, m.global}} {
		if gate == 0 && node.steps < 2 {
			continue
		}
		out := gradient[gate]
		out[len(out)-1] += share * one.slope
		for k, part := range []row{one.x, one.h, one.g} {
			for i, class := range part.classes {
				out[k*m.classes+int(class)] += share * one.slope * part.weights[i]
			}
		}
	}
	return loss * share
}
