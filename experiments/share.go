package experiments

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/internal/cores"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/resident"
)

// ownCores is how many cores this process and those it starts may share, and which; nil where they may use fewer than
// are there to choose from, as with a container's share of processors or in a job of Slurm that keeps to no cores.
func ownCores() (count int, which []int) {
	all := cores.Allowed()
	count = runtime.GOMAXPROCS(0)
	for _, name := range []string{"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"} {
		if own, err := strconv.Atoi(os.Getenv(name)); err == nil && own > 0 {
			count = min(count, own)
		}
	}
	if count >= len(all) && len(all) > 0 {
		return len(all), all
	}
	return count, nil
}

// Share is how many processes are to make runs side by side.
type Share struct {
	// Jobs is for [Options], and Cores what each process has.
	Jobs, Cores int
	// Asked is how many were asked for, and Why says what allows no more; "" where as many are as were asked for.
	Asked int
	Why   string
}

// Share bounds the number of processes that options ask for as Jobs, 0 for one a core: by the programs that the missing
// runs take, by their memory, and to one for a GPU, whose memory a process takes as a whole. So many processes fit as
// have the largest resident memories of stored runs of the same models in the memory that is available. Of a model
// without a stored run what [Study.Foresee] plans counts, with 1.5 GiB for process and compiler.
func (s Study) Share(ctx context.Context, o Options) (Share, error) {
	all, _ := ownCores()
	return s.share(ctx, o, all, resident.Available())
}

func (s Study) share(ctx context.Context, o Options, all int, available int64) (Share, error) {
	if o.Jobs < 0 {
		return Share{}, errs.New(ErrInput, "experiments: %d jobs, want 1 or more, or 0 for one a core", o.Jobs)
	}
	asked := cmp.Or(o.Jobs, all)
	share := Share{Jobs: asked, Asked: asked}
	r, err := s.find(ctx, o)
	if err != nil {
		return share, err
	}
	w := s.runner(r, o)
	w.missing = r.Results.only(w.wanted)
	bound := func(jobs int, why string, args ...any) {
		if jobs = max(1, jobs); jobs < share.Jobs {
			share.Jobs, share.Why = jobs, fmt.Sprintf(why, args...)
		}
	}
	share.Cores = max(1, all/asked) // also where fewer work: results depend on it, by rounding at least
	if r.Backend != "xla:cpu" && r.Backend != "go" && r.Backend != "" {
		bound(1, "a process takes the device as a whole")
		share.Cores = all
	}
	programs := w.programs()
	bound(len(programs), "there is no more to make")
	if share.Jobs > 1 && available > 0 {
		stored, err := s.made(ctx, r.Profile, o)
		if err != nil {
			return share, err
		}
		peaks, err := s.peaks(ctx, programs, stored)
		if err != nil {
			return share, err
		}
		fit, taken := 0, int64(0)
		for ; fit < min(share.Jobs, len(peaks)) && taken+peaks[fit] <= available; fit++ {
			taken += peaks[fit]
		}
		if fit < len(peaks) {
			bound(fit, "%s of memory are available, and a run takes up to %s", gibibytes(available), gibibytes(peaks[0]))
		}
	}
	return share, nil
}

// besidePlan is what a process takes beside what [pengcde.Plan] counts: the program itself, the compiler and what it
// makes. Of 272 stored runs of Table 1 on 100 nodes, by plan 10 to 220 MiB each, two took more in all.
const besidePlan = 3 << 29

// peaks are the bytes that programs will take by stored runs of the same model and keys, else of the same model, else
// by plan, the largest first.
func (s Study) peaks(ctx context.Context, programs []Results, stored Results) (all []int64, err error) {
	most := make(map[string]int64)
	for _, r := range stored {
		for _, of := range []string{r.kind(), r.Model.ID} {
			most[of] = max(most[of], r.Facts().PeakBytes)
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(programs), func(p Results) bool { return most[p[0].Model.ID] > 0 })
	plans, err := s.foresee(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for id, plan := range plans {
		most[id] = plan.DeviceBytes + plan.HostBytes + besidePlan
	}
	for _, p := range programs { // whose runs are of one kind
		if bytes := cmp.Or(most[p[0].kind()], most[p[0].Model.ID]); bytes > 0 {
			all = append(all, bytes)
		}
	}
	slices.SortFunc(all, func(a, b int64) int { return cmp.Compare(b, a) })
	return all, nil
}

func gibibytes(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// String is a sentence for people.
func (s Share) String() string {
	text := fmt.Sprintf("%d processes make runs, with %d cores each", s.Jobs, s.Cores)
	if s.Cores == 1 {
		text = fmt.Sprintf("%d processes make runs, with a core each", s.Jobs)
	}
	switch {
	case s.Jobs == 1 && s.Cores == 1:
		text = "one process makes runs, with a core"
	case s.Jobs == 1:
		text = fmt.Sprintf("one process makes runs, with %d cores", s.Cores)
	}
	if s.Why != "" {
		text += fmt.Sprintf(", not %d: %s", s.Asked, s.Why)
	}
	return text
}
