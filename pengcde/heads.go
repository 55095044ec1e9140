package pengcde

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// head returns the head for the sizes of the configuration.
func (c Config) head() (head.Head, error) {
	sizes := head.Sizes{Nodes: c.Nodes, Outputs: c.Outputs, Linear: c.LinearCoders}
	if c.Network == nil {
		sizes.Width = c.Hidden
	}
	if c.Parity {
		switch {
		case c.GraphOnly:
			sizes.Parity = head.EachForItself
		case traits(c.Field).Pairwise:
			sizes.Parity = head.Pairwise
		default:
			sizes.Parity = head.OneForAll
		}
	}
	given := cmp.Or[head.Head](c.Head, head.Nodes{})
	h, err := given.Sized(sizes)
	switch {
	case err != nil:
		return nil, errs.In("pengcde: Config.Head", err, ErrInput)
	case reflect.TypeOf(h) != reflect.TypeOf(given):
		return nil, invalid("Config.Head is a %T, whose Sized makes a %T: give a value, not a pointer, and write Sized for "+
			"a head that embeds another", given, h)
	}
	return h, nil
}

// perTime reports whether a network in discrete steps forecasts at each snapshot.
func (c Config) perTime() bool { return c.Head.Traits().EachTime }

func isSummed(h head.Head) bool {
	_, summed := h.(head.Summed)
	return summed
}

// started returns the parameters of the head that can be fitted to training windows before training, by position.
func (m *Model) started(training []dyngraph.Window) (map[int][]float64, error) {
	h, ok := m.config.Head.(head.Starter)
	if !ok {
		return nil, nil
	}
	valid := validated{}
	values, err := h.Start(training, func(w dyngraph.Window) error { return m.check(w, valid) })
	if err != nil {
		return nil, errs.In("pengcde", err, ErrInput)
	}
	fitted := make(map[int][]float64)
	for name, entries := range values {
		at := slices.IndexFunc(m.declared, func(p nn.Param) bool { return p.Name == name })
		if at < 0 {
			return nil, invalid("Start of a head of type %T returns the parameter %q, want one that Params declares",
				m.config.Head, name)
		}
		if want := m.declared[at].Size(); len(entries) != want {
			return nil, invalid("Start of a head of type %T returns %d entries of the parameter %q, want %d, its Dims %v",
				m.config.Head, len(entries), name, want, m.declared[at].Dims)
		}
		fitted[at] = entries
	}
	return fitted, nil
}

// start sets parameters to what started returned.
func (m *Model) start(fitted map[int][]float64) {
	for at, entries := range fitted {
		xla.Free(m.params[at])
		m.params[at] = host.Tensor(m.config.dtype(), entries, m.declared[at].Dims...)
	}
}

// SetPrior sets the coefficients and the penalty of the linear part of a [head.Corrected], [head.Linear], for
// subsequent trainings, in the shape and order of its Prior; nil coefficients and penalty 0 mean its defaults. It does
// not recompile programs. Errors about them wrap [ErrInput].
func (m *Model) SetPrior(coefficients []float64, penalty float64) error {
	if m.params == nil {
		return ErrClosed
	}
	h, ok := m.config.Head.(head.Corrected)
	if !ok {
		return invalid("SetPrior of a model without a linear part: take the head head.Corrected")
	}
	h.Linear.Prior, h.Linear.Penalty = coefficients, penalty
	sized, err := h.Sized(h.Sizes)
	if err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	m.config.Head = sized
	return nil
}
