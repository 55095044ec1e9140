package experiments

import (
	"context"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// ActiveRun is a run that a process is making now.
type ActiveRun struct {
	Run Run
	store.Lease
}

// UnderWay returns the selected runs that processes are making now, on any kind of backend. Where file locks work,
// the lease of a killed process ends with it. Elsewhere the lease stays until another process takes the run over, and
// has a long [store.Lease.Silent].
func (s Study) UnderWay(ctx context.Context, o Options) (all []ActiveRun, err error) {
	runs, err := store.Open(s.Name, true, o.leases)
	if err != nil {
		return nil, err
	}
	leases, err := runs.Leases()
	if err != nil || len(leases) == 0 { // planning may take seconds
		return nil, err
	}
	p, _, err := s.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	planned := make(map[string]Run)
	for _, r := range p.Results {
		planned[r.slot.Hash()] = r.Run
	}
	for _, lease := range leases {
		if run, found := planned[lease.Hash]; found {
			all = append(all, ActiveRun{run, lease})
		}
	}
	return all, nil
}
