package experiments

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// Leases show who makes a run and its progress, and end with their holders.
func TestUnderWay(t *testing.T) {
	results(t)
	t.Setenv("SLURM_ARRAY_JOB_ID", "12")
	t.Setenv("SLURM_ARRAY_TASK_ID", "3")
	t.Setenv("SLURM_JOB_ID", "14")
	t.Setenv("SLURMD_NODENAME", "node7")
	study, o := toy(), options(t)
	under := func() []ActiveRun {
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
	var during []ActiveRun
	whole := study.Execute
	study.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
		facts, err := whole(ctx, m, r)
		if r.Model.ID == "two" && r.Seed == 1 {
			for deadline := time.Now().Add(time.Minute); len(during) == 0 || during[0].At.Epoch < 3; {
				if time.Now().After(deadline) {
					return nil, errors.New("no third epoch in the lease within a minute")
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
		c.Job != "12" || c.Task != "3" || c.Node != "node7" || c.Lockless || c.Beat < 2 || c.At.Epoch != 3 ||
		c.At.Epochs != 3 || c.At.Part != 1 || c.At.Text == "" || time.Since(c.Began) > time.Hour ||
		c.Silent < 0 || c.Silent > time.Hour {
		t.Errorf("active run %+v", c)
	}
}
