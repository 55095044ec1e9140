package pengcde

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// example is what the network sees of one sample.
type example struct {
	sample field.Sample
	x0     []float64 // [n*p], what the encoder takes; p with the mask's channels
	times  []float64 // [S], the first is the start of the solve
	stops  []float64 // that steps end on
	target []float64 // [S*n*q], NaN where not observed; nil where only forecasts are wanted
	weight []float64 // [S], of each time in the loss; nil is 0 everywhere
}

// write writes what training learns from.
func (e example) write(w io.Writer) error {
	rows := [][]float64{e.sample.Knots, e.x0, e.times, e.target, e.weight}
	rows = append(append(rows, e.sample.Snapshots...), e.sample.Features...)
	for _, row := range rows {
		if err := binary.Write(w, binary.LittleEndian, append([]float64{float64(len(row))}, row...)); err != nil {
			return fmt.Errorf("pengcde: digest of a window: %w", err)
		}
	}
	edges := slices.Concat(e.sample.Pattern.From, e.sample.Pattern.To)
	for _, snapshot := range e.sample.Index {
		edges = append(edges, int32(snapshot))
	}
	return binary.Write(w, binary.LittleEndian, edges)
}

// batch is a number of examples as tensors.
type batch struct {
	times   [][]float64
	stops   [][]float64 // nil where no example has any
	x0      *tensors.Tensor
	control []*tensors.Tensor
	form    field.Form // of the control; with the seeds that the batch is for
	target  *tensors.Tensor
	weight  *tensors.Tensor
	share   *tensors.Tensor // of each target in the mean over those of its save time; nil where all are observed
	lessons int             // that count; the others fill up the shape
	owned   xla.Buffers
}

func (b *batch) free() { b.owned.Free() }

// newBatch makes tensors of examples that have equal shapes, on the device, or on the host for a nil backend.
func newBatch(backend *xla.Backend, cfg Config, examples []example) (*batch, error) {
	b := &batch{}
	var x0, target, weight []float64
	var stops [][]float64
	stop := false
	samples := make([]field.Sample, len(examples))
	saves, snapshots := len(examples[0].times), 0
	for _, e := range examples {
		snapshots = max(snapshots, len(e.sample.Snapshots))
	}
	for i, e := range examples {
		samples[i] = e.sample
		if s := &samples[i]; s.Index != nil { // those with fewer distinct snapshots take the shape of the others
			for s.Snapshots = slices.Clone(s.Snapshots); len(s.Snapshots) < snapshots; {
				s.Snapshots = append(s.Snapshots, s.Snapshots[0])
			}
		}
		b.times = append(b.times, e.times)
		stops = append(stops, e.stops)
		stop = stop || e.stops != nil
		x0 = append(x0, e.x0...)
		if e.target == nil {
			e.target = make([]float64, saves*cfg.Nodes*cfg.Outputs)
		}
		if e.weight == nil {
			e.weight = make([]float64, saves)
		}
		target = append(target, e.target...)
		weight = append(weight, e.weight...)
	}
	control, form, err := field.NewControl(cfg.dtype(), cfg.Product, samples)
	if err != nil {
		return nil, errs.In("pengcde", err, ErrInput)
	}
	if stop {
		b.stops = stops
	}
	size := len(examples)
	b.control, b.form = b.owned.Own(control...), form
	b.x0 = b.owned.Own(host.Tensor(cfg.dtype(), x0, size, cfg.Nodes, len(x0)/(size*cfg.Nodes)))[0]
	if share := shares(target, size*saves); share != nil {
		b.share = b.owned.Own(host.Tensor(cfg.dtype(), share, size, saves, cfg.Nodes, cfg.Outputs))[0]
	}
	b.target = b.owned.Own(host.Tensor(cfg.dtype(), target, size, saves, cfg.Nodes, cfg.Outputs))[0]
	b.weight = b.owned.Own(host.Tensor(cfg.dtype(), weight, size, saves))[0]
	if backend != nil {
		if err := b.owned.ToDevice(backend); err != nil {
			b.free()
			return nil, errs.In("pengcde", err)
		}
	}
	return b, nil
}

// shares are those of each target in the mean over the observed ones of its row, of which there are so many; what is not
// observed becomes 0 with share 0. They are nil where nothing is missing.
func shares(targets []float64, rows int) []float64 {
	if !slices.ContainsFunc(targets, math.IsNaN) {
		return nil
	}
	share, size := make([]float64, len(targets)), len(targets)/rows
	for from := 0; from < len(targets); from += size {
		row, observed := targets[from:from+size], 0
		for _, y := range row {
			if !math.IsNaN(y) {
				observed++
			}
		}
		for i, y := range row {
			if math.IsNaN(y) {
				row[i] = 0
			} else {
				share[from+i] = 1 / float64(observed)
			}
		}
	}
	return share
}

// check says whether a window can be an input of the model.
func (m *Model) check(w dyngraph.Window) error {
	if m.params == nil {
		return ErrClosed
	}
	if err := w.Validate(); err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	s := w.Series
	switch {
	case w.Inputs() < 2:
		return invalid("window of length %d from snapshot %d of series %q on, want at least 2 inputs: windows of length 3 or more",
			w.Length, w.Start, s.Name)
	case s.Nodes() != m.config.Nodes || s.FeatureSize != m.config.Features:
		return invalid("series %q has %d nodes with %d features, the model was made for %d with %d",
			s.Name, s.Nodes(), s.FeatureSize, m.config.Nodes, m.config.Features)
	}
	if err := s.Validate(); err != nil {
		return errs.In("pengcde", err, ErrInput)
	}
	if !m.config.Residual {
		return nil
	}
	recent, err := w.Recent()
	if err != nil {
		return errs.In("pengcde: the model is Residual", err, ErrInput)
	}
	if len(recent) != m.config.Nodes*m.config.Outputs {
		return invalid("the model is Residual, and series %q has %d recent means at snapshot %d, want %d (nodes x outputs)",
			s.Name, len(recent), w.Last()-1, m.config.Nodes*m.config.Outputs)
	}
	return nil
}

// recent is what a residual readout is added to, [nodes*outputs] row-major, of a window that was checked.
func (m *Model) recent(w dyngraph.Window) []float64 { return w.Series.Recent[w.Last()-1] }

// example reads a window that was checked; forecasts are made at the given times after its first input.
func (m *Model) example(w dyngraph.Window, times ...float64) (example, error) {
	s, last := w.Series, w.Start+w.Inputs()
	pattern, snapshots, err := m.config.Control.Apply(s.Pattern, s.Weights[w.Start:last])
	if err != nil {
		return example{}, errs.In(fmt.Sprintf("pengcde: control of series %q from snapshot %d on", s.Name, w.Start), err, ErrInput)
	}
	m.noteControl(s, pattern, snapshots)
	features, err := m.fill(w.InputTimes(), s.Features[w.Start:last])
	if err != nil {
		return example{}, errs.In(fmt.Sprintf("pengcde: inputs of the window at snapshot %d of series %q", w.Start, s.Name), err, ErrInput)
	}
	e := example{x0: features[0], times: append([]float64{0}, times...)}
	e.sample = field.Sample{Knots: w.InputTimes(), Pattern: pattern, Snapshots: snapshots,
		GraphPath: m.config.Path, FeaturePath: m.config.Path}
	if m.config.driven() {
		e.sample.Features = features
	}
	e.stops = m.stops(e.sample)
	return e, nil
}

// fill carries observations forward to where values are missing: then one shapes the path from the interval on that it ends,
// not before, and where nothing is observed the path does not change, so that steps need not end there.
func (m *Model) fill(knots []float64, features [][]float64) ([][]float64, error) {
	return path.Fill(path.Ramp, m.config.Mask, knots, features, m.config.Nodes)
}

// stops are the knots that the steps of a sample end on: with constant steps only those at which the field jumps.
func (m *Model) stops(s field.Sample) []float64 {
	switch {
	case m.config.Field == Constant || m.config.Parity || m.config.Adaptive == nil && !m.config.jumps():
		return nil
	case m.config.Field == GNODE:
		return s.Jumps()
	}
	return s.Changes()
}

func known(y float64) bool { return !math.IsNaN(y) }

// lesson is the example of a window with its target, to be met at the last input.
func (m *Model) lesson(w dyngraph.Window) (example, error) {
	if err := m.check(w); err != nil {
		return example{}, err
	}
	times := w.InputTimes()
	e, err := m.example(w, times[len(times)-1])
	if err != nil {
		return e, err
	}
	size, target := m.config.Nodes*m.config.Outputs, w.Target()
	if len(target) != size {
		return e, invalid("window at snapshot %d of series %q has %d targets, the model makes %d (nodes x outputs)",
			w.Start, w.Series.Name, len(target), size)
	}
	if !slices.ContainsFunc(target, known) {
		return e, invalid("window at snapshot %d of series %q has no observed target, at snapshot %d all are NaN: leave it out",
			w.Start, w.Series.Name, w.Last())
	}
	e.target = append(make([]float64, size), target...)
	if m.config.Residual {
		floats.Sub(e.target[size:], m.recent(w))
	}
	e.weight = []float64{0, 1}
	return e, nil
}
