package pengcde

import (
	"hash"
	"runtime/debug"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// batch holds samples as tensors.
type batch struct {
	times   [][]float64
	stops   [][]float64 // nil where no sample has any
	x0      *tensors.Tensor
	control []*tensors.Tensor
	form    field.Form        // of the control, with the number of seeds of the batch
	seen    []*tensors.Tensor // arrays that the head's forecasts read, head.Present first if form.Present is set
	targets []*tensors.Tensor // arrays that the head's loss compares forecasts with
	samples int               // number of real samples; the others are padding
	parts   []part            // the batch split for groups; the tensors above are then empty
	owned   xla.Buffers
}

func (b *batch) free() {
	b.owned.Free()
	freeParts(b.parts)
}

// newBatch returns the tensors of samples of equal shapes, on the device, or on the host if backend is nil.
func newBatch(backend *xla.Backend, cfg Config, samples []sample) (*batch, error) {
	b := &batch{samples: len(samples)}
	var x0 []float64
	taken := make([]head.Sample, len(samples))
	paths := make([]field.Sample, len(samples))
	size, saves, snapshots, knots := len(samples), len(samples[0].times), 0, 0
	axes := make([]field.Axis, len(samples)) // of Rectilinear paths
	for i, s := range samples {
		snapshots = max(snapshots, len(s.paths.Snapshots))
		if cfg.Path == path.Rectilinear {
			axes[i] = s.paths.Axis()
			knots = max(knots, len(axes[i].Sample.Knots)+1)
		}
	}
	for i, s := range samples {
		if cfg.Path == path.Rectilinear {
			s.paths, s.times, s.stops = axes[i].Lengthen(knots), axes[i].Positions(s.times), axes[i].Turns
		}
		if s.paths.Index != nil { // pad to the largest number of distinct snapshots
			for s.paths.Snapshots = slices.Clone(s.paths.Snapshots); len(s.paths.Snapshots) < snapshots; {
				s.paths.Snapshots = append(s.paths.Snapshots, s.paths.Snapshots[0])
			}
		}
		paths[i], taken[i] = s.paths, s.taken
		b.times, b.stops = append(b.times, s.times), append(b.stops, s.stops)
		x0 = append(x0, s.x0...)
	}
	control, form, err := field.NewControl(cfg.dtype(), cfg.Product, paths)
	if err != nil {
		return nil, errs.In("pengcde", err, ErrInput)
	}
	if at := slices.IndexFunc(b.times, func(times []float64) bool { return len(times) != saves }); at >= 0 {
		xla.Free(control...)
		return nil, invalid("a batch of windows with %d and with %d times, want as many: whole series and other windows "+
			"take batches of their own", saves, len(b.times[at]))
	}
	b.control, b.form = b.owned.Own(control...), form
	b.x0 = b.owned.Own(host.Tensor(cfg.dtype(), x0, size, cfg.Nodes, len(x0)/(size*cfg.Nodes)))[0]
	seen, targets, err := cfg.Head.Batch(taken, saves)
	if err != nil {
		b.free()
		return nil, errs.In("pengcde", err, ErrInput)
	}
	if form.Present && cfg.Network == nil {
		seen = append([]head.Array{presence(paths, b.times)}, seen...)
	}
	b.seen, b.targets = b.tensors(cfg.dtype(), seen), b.tensors(cfg.dtype(), targets)
	if backend != nil {
		if err := b.owned.ToDevice(backend); err != nil {
			b.free()
			return nil, errs.In("pengcde", err)
		}
	}
	return b, nil
}

// presence returns [head.Present] of samples at their save times.
func presence(paths []field.Sample, times [][]float64) head.Array {
	n := paths[0].Pattern.Nodes
	a := head.Array{Dims: []int{len(paths), len(times[0]), n, 1}}
	for b, s := range paths {
		for _, t := range times[b] {
			latest, found := slices.BinarySearch(s.Knots, t)
			if !found {
				latest = max(latest-1, 0)
			}
			if s.Present == nil {
				a.Floats = append(a.Floats, slices.Repeat([]float64{1}, n)...)
			} else {
				a.Floats = append(a.Floats, host.Bits(s.Present[latest])...)
			}
		}
	}
	return a
}

// tensors returns a head's arrays as tensors, floats in the given type.
func (b *batch) tensors(dtype dtypes.DType, arrays []head.Array) []*tensors.Tensor {
	made := make([]*tensors.Tensor, len(arrays))
	for i, a := range arrays {
		if a.Ints != nil {
			made[i] = tensors.FromFlatDataAndDimensions(a.Ints, a.Dims...)
		} else {
			made[i] = host.Tensor(dtype, a.Floats, a.Dims...)
		}
	}
	return b.owned.Own(made...)
}

// source is a model with the windows that batches are made of.
type source struct {
	model   *Model
	windows []dyngraph.Window
	digest  hash.Hash // of the training data; nil without a checkpoint
}

// batches splits the windows of a source into batches of size windows. For several seeds a batch holds size windows of
// each seed, one seed after the other. The last batch is padded with samples of weight 0, so that only one shape is
// compiled. If backend is nil the tensors stay on the host.
func batches(backend *xla.Backend, size int, seeds ...source) ([]*batch, error) {
	var made []*batch
	count, valid := len(seeds[0].windows), validated{}
	for from := 0; from < count; from += size {
		var samples []sample
		for _, seed := range seeds {
			for i := from; i < from+size; i++ {
				s, err := seed.model.training(seed.windows[min(i, count-1)], valid)
				if err != nil {
					return made, err
				}
				if seed.digest != nil {
					if err := s.write(seed.digest); err != nil {
						return made, err
					}
				}
				if i >= count {
					s.taken.Weights = nil
				}
				samples = append(samples, s)
			}
		}
		b, err := newParts(backend, seeds, samples)
		if err != nil {
			return made, err
		}
		b.samples = min(size, count-from)
		if len(seeds) > 1 {
			b.form.Seeds = nn.Seeds(len(seeds))
		}
		made = append(made, b)
	}
	return made, nil
}

// newParts is newBatch for a model with groups: it splits the batch into parts.
func newParts(backend *xla.Backend, seeds []source, samples []sample) (*batch, error) {
	g, ok := seeds[0].model.network.(*groups)
	if !ok || len(seeds) > 1 || backend == nil {
		return newBatch(backend, seeds[0].model.computing(), samples)
	}
	parts, err := g.parts(seeds[0].model.computing(), samples)
	switch {
	case err != nil:
		return nil, err
	case parts == nil:
		return newBatch(backend, seeds[0].model.computing(), samples)
	}
	b := &batch{parts: parts}
	for _, s := range samples {
		b.times = append(b.times, s.times)
	}
	return b, nil
}

// releaseFrom is the size of batches in bytes from which releaseMemory releases memory.
const releaseFrom = 256 << 20

// releaseMemory returns the memory used to make batches to the operating system if the batches are large. Otherwise Go
// would keep about the same amount again, more than a GiB at 100,000 nodes, while a solve on a CPU needs memory of the
// same system.
func releaseMemory(made []*batch) {
	bytes := int64(0)
	for _, b := range made {
		bytes += b.owned.Bytes()
		for _, p := range b.parts {
			bytes += p.owned.Bytes()
		}
	}
	if bytes >= releaseFrom {
		debug.FreeOSMemory()
	}
}
