package workers

import (
	"slices"
	"testing"
)

// In a Slurm job, and with fewer threads than cores, processes share that number of cores, and are bound to none.
func TestOwnCores(t *testing.T) {
	all, which := Cores()
	if all < 1 || len(which) != 0 && len(which) != all {
		t.Fatalf("%d cores, %v", all, which)
	}
	t.Setenv("SLURM_CPUS_ON_NODE", "1")
	if count, kept := Cores(); count != 1 || all > 1 && kept != nil {
		t.Errorf("with 1 CPU of a node of %d: %d, %v", all, count, kept)
	}
	t.Setenv("SLURM_CPUS_ON_NODE", "some")
	if count, _ := Cores(); count != all {
		t.Errorf("with a variable that is no number: %d, want %d", count, all)
	}
}

// Workers have equally many cores, and different ones if there are enough.
func TestCoresOfWorkers(t *testing.T) {
	for _, c := range []struct {
		all          []int
		each, worker int
		want         []int
	}{
		{[]int{0, 1, 2, 3}, 2, 0, []int{0, 1}}, {[]int{0, 1, 2, 3}, 2, 1, []int{2, 3}},
		{[]int{4, 5, 9}, 1, 1, []int{5}}, {[]int{0, 1}, 1, 3, []int{1}}, {nil, 2, 1, nil},
		{[]int{0, 1, 2, 3}, 3, 1, []int{0, 1, 2}}, {[]int{0, 1}, 3, 1, []int{0, 1}},
	} {
		if got := coresAt(c.all, c.each, c.worker); !slices.Equal(got, c.want) {
			t.Errorf("worker %d with %d cores of %v: %v, want %v", c.worker, c.each, c.all, got, c.want)
		}
	}
}
