package pengcde

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// Linear is a linear autoregression, the same for all nodes, that the network corrects.
type Linear = head.Linear

// checkHead is the head of the configuration, and an error where its options do not fit.
func (c Config) checkHead() (head.Head, error) {
	var h head.Head
	nodes := head.Nodes{Residual: c.Residual}
	switch c.Output {
	case PerNode:
		nodes.At = head.AtEnd
	case PerTime:
		nodes.At = head.AtEach
	}
	if c.Parity && !c.GraphOnly {
		if nodes.Parity = head.OneForAll; traits(c.Field).Pairwise {
			nodes.Parity = head.Pairwise
		}
	}
	switch {
	case c.Output == Summed:
		h = head.Summed{}
	case c.Output == Class:
		h = head.Class{}
	case c.Output == Affinity:
		h = head.Ranking{Pairs: c.Pairs, Residual: c.Residual}
	case c.Linear != nil:
		h = head.Corrected{Nodes: nodes, Linear: *c.Linear}
	default:
		h = nodes
	}
	sizes := head.Sizes{Nodes: c.Nodes, Outputs: c.Outputs, Linear: c.LinearCoders}
	if c.Network == nil {
		sizes.Width = c.Hidden
	}
	h, err := h.Sized(sizes)
	if err != nil {
		return nil, errs.In("pengcde: Config", err, ErrInput)
	}
	return h, nil
}

// head is the head of a configuration that was checked.
func (c Config) head() head.Head {
	h, err := c.checkHead()
	if err != nil {
		panic(err)
	}
	return h
}

// start gives parameters of the head values that fit training windows, where it knows some.
func (m *Model) start(training []dyngraph.Window) error {
	h, ok := m.config.head().(head.Starter)
	if !ok {
		return nil
	}
	for _, w := range training {
		if err := m.check(w); err != nil {
			return err
		}
	}
	values, err := h.Start(training)
	if err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	for name, entries := range values {
		at := slices.IndexFunc(m.declared, func(p nn.Param) bool { return p.Name == name })
		xla.Free(m.params[at])
		m.params[at] = host.Tensor(m.config.dtype(), entries, m.declared[at].Dims...)
	}
	return nil
}

// SetPrior sets Prior and Penalty of Config.Linear for the trainings that follow. What was compiled serves on.
func (m *Model) SetPrior(coefficients []float64, penalty float64) error {
	if m.params == nil {
		return ErrClosed
	}
	if m.config.Linear == nil {
		return invalid("SetPrior of a model without a linear part: set Config.Linear")
	}
	l := *m.config.Linear
	l.Prior, l.Penalty = coefficients, penalty
	checked, err := l.Check(m.config.Outputs)
	if err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	m.config.Linear = checked
	return nil
}
