package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Claims say who makes a run and how far it is, and end with their holders.
func TestUnderWay(t *testing.T) {
	folder := results(t)
	t.Setenv("SLURM_ARRAY_JOB_ID", "12")
	t.Setenv("SLURM_ARRAY_TASK_ID", "3")
	t.Setenv("SLURM_JOB_ID", "14")
	t.Setenv("SLURMD_NODENAME", "node7")
	study, o := toy(), options(t)
	under := func() []Claim {
		t.Helper()
		all, err := study.UnderWay(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := under(); len(all) != 0 {
		t.Errorf("before the first run %+v are under way", all)
	}
	var during []Claim
	whole := study.Make
	study.Make = func(ctx context.Context, m *Maker, r Run) (*Facts, error) {
		facts, err := whole(ctx, m, r)
		if r.Model.ID == "two" && r.Seed == 1 {
			for deadline := time.Now().Add(time.Minute); len(during) == 0 || during[0].At.Epoch < 3; {
				if time.Now().After(deadline) {
					return nil, errors.New("no third epoch in the claim within a minute")
				}
				during = under()
			}
		}
		return facts, err
	}
	run(t, study, o)
	if len(during) != 1 {
		t.Fatalf("%d runs under way, want 1", len(during))
	}
	c := during[0]
	host, _ := os.Hostname()
	if c.Run.String() != "Two, early, seed 1" || c.Backend != "go" || c.Host != host || c.Process != os.Getpid() ||
		c.Job != "12" || c.Task != "3" || c.Node != "node7" || c.Lease || c.Beat < 2 || c.At.Epoch != 3 ||
		c.At.Epochs != 3 || c.At.Part != 1 || c.At.Text == "" || time.Since(c.Began) > time.Hour ||
		c.Silent < 0 || c.Silent > time.Hour {
		t.Errorf("claim %+v", c)
	}
	left := filepath.Join(folder, stored(t, study, o).Results[0].slot.name+claimExtension)
	h := claimed(t, nil, left)
	stall(h)
	if all := under(); len(all) != 1 {
		t.Errorf("%+v under way, want the one that is held", all)
	}
	const ago = 5 * time.Minute
	if err := os.Chtimes(left, time.Now(), clockOf(folder).Add(-ago)); err != nil {
		t.Fatal(err)
	}
	if all := under(); len(all) != 1 || all[0].Silent < ago || all[0].Silent > 2*ago {
		t.Errorf("%+v under way, want one that is silent for %v", all, ago)
	}
	if all := files(t, folder, ".clock*"); len(all) > 0 {
		t.Errorf("left %v", all)
	}
	if err := h.lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if all := under(); len(all) != 0 {
		t.Errorf("%+v under way after its process was killed", all)
	}
}
