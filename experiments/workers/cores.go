package workers

import (
	"os"
	"runtime"
	"strconv"

	"github.com/peng-cde/pengcde-go/internal/cores"
)

// Cores returns how many cores this process and those it starts may share, and which; nil where they may use fewer than
// are there to choose from, as with a container's share of processors or in a job of Slurm that keeps to no cores.
func Cores() (count int, which []int) {
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

// coresAt returns the cores of the worker at a place. All have equally many, since results depend on that, by rounding
// at least.
func coresAt(all []int, each, place int) []int {
	if len(all) == 0 {
		return nil
	}
	first := place * each % len(all)
	return all[first:min(first+each, len(all))]
}
