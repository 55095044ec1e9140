package experiments

import (
	"context"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// CountShipped counts the runs of the study that came with the module. found counts the runs that one of the profiles
// plans with its own seeds. The other runs are orphaned: they are in the archive, but no command shows them, because
// no planned run has their identity. Both counts are 0 outside a checkout.
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

// planned returns the identity hashes of all runs that the profiles plan. The names of stored runs begin with these
// hashes.
func (s Study) planned(ctx context.Context, o Options, profiles []Profile) (map[string]bool, error) {
	hashes := make(map[string]bool)
	for _, o.Profile = range profiles {
		report, _, err := s.plan(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, result := range report.Results {
			hashes[result.slot.Hash()] = true
		}
	}
	return hashes, nil
}
