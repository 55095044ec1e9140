package paper

import "testing"

// Every run that ships is planned now, in some profile.
func TestShippedRunsAreFound(t *testing.T) {
	shipped := 0
	for _, study := range All() {
		found, all, err := study.CountShipped(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d", study.Name, found, all)
		shipped += all
		if found != all {
			t.Errorf("%s: %d of the %d runs in results/%s.jsonl.zst are found, the others are orphaned: their identities are "+
				"no longer planned. Undo what changed them, see TestIdentitiesAreKept", study.Name, found, all, study.Name)
		}
	}
	if shipped == 0 {
		t.Error("no archive has a run")
	}
}
