package paper

import (
	"testing"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// Every run that ships is planned now, in some profile, and is in one archive.
func TestShippedRunsAreFound(t *testing.T) {
	shipped, in := 0, make(map[string]string)
	for _, study := range All() {
		found, all, err := study.CountShipped(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d", study.Name, found, all)
		shipped += all
		records, err := store.Shipped(study.Name)
		if err != nil {
			t.Fatal(err)
		}
		for name := range records {
			if other, twice := in[name]; twice {
				t.Errorf("%s is in the archives of %s and %s, want one of them", name, other, study.Name)
			}
			in[name] = study.Name
		}
		if found != all {
			t.Errorf("%s: %d of the %d runs in results/%s.jsonl.zst are found, the others are orphaned: their identities are "+
				"no longer planned. Undo what changed them, see TestIdentitiesAreKept", study.Name, found, all, study.Name)
		}
	}
	if shipped == 0 {
		t.Error("no archive has a run")
	}
}
