package workers

import (
	"os"
	"runtime"
	"strconv"

	"github.com/peng-cde/pengcde-go/internal/cores"
)

// Cores returns the number of cores that this process and its children may share, and their numbers. The numbers are
// nil if the process may use fewer cores than it could choose from, as with a container's CPU quota or in a Slurm job
// that is not bound to cores.
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

// coresAt returns the cores of the worker with this index. All workers get the same number of cores, because results
// depend on it, at least by rounding.
func coresAt(all []int, each, worker int) []int {
	if len(all) == 0 {
		return nil
	}
	each = min(each, len(all))
	first := worker % (len(all) / each) * each
	return all[first : first+each]
}
