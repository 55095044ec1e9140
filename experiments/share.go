package experiments

import (
	"cmp"
	"context"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments/workers"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/resident"
)

// Share is the number of processes that make runs in parallel.
type Share = workers.Share

// Share bounds the number of processes requested by Jobs, 0 for one per core. The bounds are the number of programs
// that the missing runs need, their memory, and one process for a GPU, because a process reserves all GPU memory. The
// number of processes is limited so that the largest resident memories of stored runs of the same models fit in the
// available memory together. For a model without a stored run, the plan of [Study.PlanMemory] counts, plus 1.5 GiB
// for process and compiler.
func (s Study) Share(ctx context.Context, o Options) (Share, error) {
	all, _ := workers.Cores()
	return s.share(ctx, o, all, resident.Available())
}

func (s Study) share(ctx context.Context, o Options, all int, available int64) (Share, error) {
	if o.Jobs < 0 {
		return Share{}, errs.New(ErrInput, "experiments: %d jobs, want 1 or more, or 0 for one a core", o.Jobs)
	}
	asked := cmp.Or(o.Jobs, all)
	share := Share{Jobs: asked, Asked: asked}
	r, w, err := s.toMake(ctx, o)
	if err != nil {
		return share, err
	}
	share.Cores = max(1, all/asked) // even with fewer processes: results depend on the count, by rounding
	if r.Backend != "xla:cpu" && r.Backend != "go" && r.Backend != "" {
		share.Bound(1, "a process takes the device as a whole")
		share.Cores = all
	}
	programs := w.programs()
	share.Bound(len(programs), "there is no more to make")
	if share.Jobs > 1 && available > 0 {
		peaks, err := s.peaks(ctx, r.Profile, o, programs)
		if err != nil {
			return share, err
		}
		share.BoundMemory(peaks, available)
	}
	return share, nil
}

// Memory returns the bytes that this number of processes may take when they make the missing runs side by side, as
// [Study.Share] judges them; 0 if nothing is missing or the memory is unknown.
func (s Study) Memory(ctx context.Context, o Options, processes int) (bytes int64, err error) {
	r, w, err := s.toMake(ctx, o)
	if err != nil {
		return 0, err
	}
	peaks, err := s.peaks(ctx, r.Profile, o, w.programs())
	for _, peak := range peaks[:max(0, min(processes, len(peaks)))] {
		bytes += peak
	}
	return bytes, err
}

// besidePlan is the memory in bytes that a process takes in addition to [pengcde.Plan]: the program itself, the
// compiler and its output. Of 272 stored runs of Table 1 on 100 nodes, with plans of 10 to 220 MiB each, two took
// more than that in total.
const besidePlan = 3 << 29

// peaks returns the expected bytes of each program, largest first: from stored runs of the same model and keys, else
// of the same model, else from the plan.
func (s Study) peaks(ctx context.Context, p Profile, o Options, programs []Results) (all []int64, err error) {
	stored, err := s.made(ctx, p, o)
	if err != nil {
		return nil, err
	}
	most := make(byKind[int64])
	for _, r := range stored {
		if peak := r.Facts().PeakBytes; peak > 0 {
			most.add(r.Run, func(other int64) int64 { return max(other, peak) })
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(programs), func(p Results) bool { return most[p[0].Model.ID] > 0 })
	plans, err := s.planMemory(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for id, plan := range plans {
		most[id] = plan.DeviceBytes + plan.HostBytes + besidePlan
	}
	for _, p := range programs { // the runs of a program are of one kind
		if bytes := most.of(p[0].Run); bytes > 0 {
			all = append(all, bytes)
		}
	}
	slices.SortFunc(all, func(a, b int64) int { return cmp.Compare(b, a) })
	return all, nil
}
