package affinity

// history stores for each node the newest row of labels, the row before it, and a [MovingAverage] of 7. Its zero value
// is empty.
type history struct {
	labelsOnly
	classes int
	nodes   map[int32]nodeHistory
}

// nodeHistory is the history of one node.
type nodeHistory struct{ newest, before, mean row }

// Reset forgets all labels.
func (h *history) Reset(task Task) { h.classes, h.nodes = task.Classes, make(map[int32]nodeHistory) }

// Learn adds labels to the history.
func (h *history) Learn(labels Labels) error {
	if h.nodes == nil {
		h.nodes = make(map[int32]nodeHistory)
	}
	for u, next := range labels.rows() {
		if old, found := h.nodes[u]; found {
			h.nodes[u] = nodeHistory{next, old.newest, old.mean.decay(next, 7)}
		} else {
			h.nodes[u] = nodeHistory{next, next, next}
		}
	}
	return nil
}

// each calls call for each class in the history of a node.
func (h *history) each(u int32, call func(class int32, newest, before, mean float64)) {
	of := h.nodes[u]
	for i, class := range of.mean.classes { // contains all classes of the other rows
		call(class, of.newest.at(class), of.before.at(class), of.mean.weights[i])
	}
}
