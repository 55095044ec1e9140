package affinity

// History keeps of each node the newest row of labels, the one before it, and a moving average. Its zero value is empty.
type History struct {
	// Window is that of [MovingAverage]; 0 means 7.
	Window float64
	nodes  map[int32]known
}

// known is what a [History] knows of a node.
type known struct{ newest, before, mean row }

// Learn takes labels.
func (h *History) Learn(labels Labels) error {
	w, err := window7(h.Window)
	if err != nil {
		return err
	}
	if h.nodes == nil {
		h.nodes = make(map[int32]known)
	}
	for k, u := range labels.Nodes {
		_, classes, weights := labels.Row(k)
		next := row{classes, weights}
		if old, found := h.nodes[u]; found {
			h.nodes[u] = known{next, old.newest, old.mean.decay(next, w)}
		} else {
			h.nodes[u] = known{next, next, next}
		}
	}
	return nil
}

// Reset forgets all labels.
func (h *History) Reset() { h.nodes = nil }

// each calls for each class that a node has had to do with.
func (h *History) each(u int32, call func(class int32, newest, before, mean float64)) {
	known := h.nodes[u]
	for i, class := range known.mean.classes { // it has all classes of the others
		call(class, known.newest.at(class), known.before.at(class), known.mean.weights[i])
	}
}
