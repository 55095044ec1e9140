package pengcde

import (
	"cmp"
	"errors"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// Model is a network with its parameters. It must be used by one goroutine at a time.
type Model struct {
	backend  *xla.Backend
	config   Config
	network  network
	declared []nn.Param
	params   []*tensors.Tensor // as declared; nil when closed, or lost with the device
	closed   bool
	// noted holds the warnings already written to Config.Notices.
	noted struct{ control, features, times, weights bool }
	// capacities are of windows without unused edges, and empty for windows with all edges.
	capacities map[run]equivariant.NeighbourCapacity
}

// New returns a model with newly drawn parameters. The model compiles its programs when it is first used with data.
// Later changes of slices in config, such as the Maps of a field, have no effect. Errors about config wrap [ErrInput].
func New(backend *xla.Backend, config Config) (*Model, error) {
	if err := backend.Check(); err != nil {
		return nil, errs.In("pengcde: New", err, ErrInput)
	}
	config, err := config.clone().withDefaults()
	if err != nil {
		return nil, err
	}
	n, declared, err := config.network(backend)
	if err != nil {
		return nil, err
	}
	return &Model{
		backend: backend, config: config, network: n, declared: declared,
		params: nn.Draw(declared, config.dtype(), config.Seed),
	}, nil
}

// Config returns a copy of the configuration with the defaults of its own fields. Fields of the parts inside, such as
// the tolerances of Adaptive, keep a 0 that stands for their default.
func (m *Model) Config() Config { return m.config.clone() }

// Parameters returns the number of learnable entries.
func (m *Model) Parameters() int { return nn.Count(m.declared) }

// Parameter returns the values of a parameter, row-major, by its name in the file that [Model.Save] writes; ok is false
// if there is no parameter of that name.
func (m *Model) Parameter(name string) (values []float64, ok bool) {
	for i, p := range m.declared {
		if p.Name == name && m.params != nil {
			return host.Floats(m.params[i]), true
		}
	}
	return nil, false
}

// computing returns the configuration with the product that suits the backend.
func (m *Model) computing() Config {
	c := m.config
	switch {
	case c.Product != equivariant.Auto:
	case m.backend.ForGPU():
		c.Product = equivariant.AutoGPU
	case m.backend.HasKernels():
		c.Product = equivariant.AutoKernels
	}
	return c
}

// SetProduct sets Config.Product, for example of a loaded model; it takes effect from the next call on.
func (m *Model) SetProduct(product equivariant.Product) error {
	if m.params == nil {
		return ErrClosed
	}
	if err := m.config.checkCompute(product, m.config.Memory); err != nil {
		return err
	}
	m.config.Product = cmp.Or(product, equivariant.Auto)
	return nil
}

// SetMemory sets Config.Memory, for example of a loaded model; it takes effect from the next call on.
func (m *Model) SetMemory(memory ode.Memory) error {
	if m.params == nil {
		return ErrClosed
	}
	if err := m.config.checkCompute(m.config.Product, memory); err != nil {
		return err
	}
	m.config.Memory = memory
	switch n := m.network.(type) {
	case *equation:
		n.memory = memory
	case *groups:
		n.setMemory(memory)
	}
	return nil
}

// SetNormalise sets Config.Normalise; the zero value has the same meaning as there. It does not recompile programs, so
// comparing normalisations compiles once.
func (m *Model) SetNormalise(normalise dyngraph.Normalisation) error {
	if m.params == nil {
		return ErrClosed
	}
	if err := normalise.Check(); err != nil {
		return errs.In("pengcde: SetNormalise", err, ErrInput)
	}
	normalise = cmp.Or(normalise, m.config.normalise())
	m.noted.control = m.noted.control && normalise == m.config.Normalise
	m.config.Normalise = normalise
	return nil
}

// Reset draws new parameters from a seed. It does not recompile programs, so comparing seeds compiles once. It has no
// effect on a closed model.
func (m *Model) Reset(seed uint64) {
	if m.closed {
		return
	}
	xla.Free(m.params...)
	m.config.Seed = seed
	m.params = nn.Draw(m.declared, m.config.dtype(), seed)
}

// ErrClosed is returned by a model that was closed, or whose parameters were lost when the device failed in the middle
// of an update.
var ErrClosed = errors.New("pengcde: the model has no parameters: it was closed, or the device failed while it was " +
	"trained")

// Close frees the parameters and the compiled programs. A nil or zero model has none.
func (m *Model) Close() {
	if m == nil || m.network == nil {
		return
	}
	xla.Free(m.params...)
	m.params, m.closed = nil, true
	m.network.close()
}
