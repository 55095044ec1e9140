package experiments

import (
	"context"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// CountShipped says how many of a study's runs that came with the module are found: planned by one of the profiles with
// its own seeds. The others are orphaned: they lie in the archive, and no command shows them, because the identities by
// which they were stored are no longer those that are planned. Outside of a checkout there are none of either.
func (s Study) CountShipped(ctx context.Context) (found, shipped int, err error) {
	records, err := store.Shipped(s.Name)
	if err != nil || len(records) == 0 {
		return 0, 0, err
	}
	planned, err := s.planned(ctx, Options{Fresh: true}, Profiles())
	if err != nil {
		return 0, len(records), err
	}
	for name := range records {
		if hash, _, _ := strings.Cut(name, "-"); planned[hash] {
			found++
		}
	}
	return found, len(records), nil
}

// planned has the hashes, with which names of runs begin, of the runs that some profiles plan.
func (s Study) planned(ctx context.Context, o Options, profiles []Profile) (map[string]bool, error) {
	hashes := make(map[string]bool)
	for _, o.Profile = range profiles {
		report, err := s.plan(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, result := range report.Results {
			hashes[result.slot.Hash()] = true
		}
	}
	return hashes, nil
}
