package affinity

// history stores for each node the newest row of labels, the row before it, and a [MovingAverage] of 7. Its zero value
// is empty.
type history struct {
	labelsOnly
	classes int
	nodes   map[int32]known
}

// known is the history of one node.
type known struct{ newest, before, mean row }

// Reset forgets all labels.
func (h *history) Reset(task Task) { h.classes, h.nodes = task.Classes, make(map[int32]known) }

// Learn adds labels to the history.
func (h *history) Learn(labels Labels) error {
	if h.nodes == nil {
		h.nodes = make(map[int32]known)
	}
	for u, next := range labels.rows() {
		if old, found := h.nodes[u]; found {
			h.nodes[u] = known{next, old.newest, old.mean.decay(next, 7)}
		} else {
			h.nodes[u] = known{next, next, next}
		}
	}
	return nil
}

// each calls call for each class in the history of a node.
func (h *history) each(u int32, call func(class int32, newest, before, mean float64)) {
	known := h.nodes[u]
	for i, class := range known.mean.classes { // contains all classes of the other rows
		call(class, known.newest.at(class), known.before.at(class), known.mean.weights[i])
	}
}
