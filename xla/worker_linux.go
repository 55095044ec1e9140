package xla

import (
	"os"
	"runtime"
	"strconv"

	"github.com/peng-cde/pengcde-go/internal/cores"
)

// coresOfProcess returns the process's cores for workers, at most GOMAXPROCS and XLA's PJRT_NPROC of them.
func coresOfProcess() []int {
	allowed := cores.Allowed()
	most := min(len(allowed), runtime.GOMAXPROCS(0))
	if threads, err := strconv.Atoi(os.Getenv(threadsEnv)); err == nil {
		most = max(0, min(most, threads))
	}
	return allowed[:most]
}

// keepOn keeps the calling thread on a core; so do the threads of a client that is opened from it.
func keepOn(core int) error {
	compileElsewhere()
	return cores.Keep([]int{core})
}
