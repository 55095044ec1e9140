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
	planned := make(map[string]bool) // by the hash that names of runs begin with
	for _, profile := range Profiles() {
		report, err := s.plan(ctx, Options{Profile: profile, Fresh: true})
		if err != nil {
			return 0, len(records), err
		}
		for _, result := range report.Results {
			planned[result.slot.Hash()] = true
		}
	}
	for name := range records {
		if hash, _, _ := strings.Cut(name, "-"); planned[hash] {
			found++
		}
	}
	return found, len(records), nil
}
