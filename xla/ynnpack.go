package xla

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// flagsEnv is where XLA reads its flags, once in a process.
const flagsEnv = "XLA_FLAGS"

// ynnFlag names the operations that XLA on a CPU hands to the library YNNPACK.
const ynnFlag = "xla_cpu_experimental_ynn_fusion_type"

// opening is held while flags are set, so that each opening finds the user's own when it is done.
var opening sync.Mutex

// threadsEnv is where XLA on a CPU reads the number of its threads, when a client is opened.
const threadsEnv = "PJRT_NPROC"

// withEnvironment opens a plugin for the CPU with so many threads, where they are not 0, and so that XLA hands nothing
// to YNNPACK. In the wheel that set-up installs (lammps-jax-pjrt-cpu 0.11.2) it computes some products wrongly without
// an error: those with a broadcast factor that are multiplied and summed. See jax-ml/jax issues 39103, 39257 and 40412
// for others of its faults.
//
// A flag that the user sets comes first, and a plugin that does not know it is opened as it is, since XLA ends the
// process at a flag that it does not know.
func withEnvironment(file string, threads int, open func() error) error {
	opening.Lock()
	defer opening.Unlock()
	if threads > 0 {
		defer setEnv(threadsEnv, strconv.Itoa(threads))()
	}
	if flags := os.Getenv(flagsEnv); !strings.Contains(flags, ynnFlag) && mentions(file, ynnFlag) {
		defer setEnv(flagsEnv, strings.TrimSpace(flags+" --"+ynnFlag+"="))()
	}
	return open()
}

// setEnv sets a variable and returns how to take it back.
func setEnv(name, value string) (back func()) {
	before, set := os.LookupEnv(name)
	os.Setenv(name, value)
	return func() {
		if set {
			os.Setenv(name, before)
		} else {
			os.Unsetenv(name)
		}
	}
}

// mentions says whether a file can be read and has a text in it.
func mentions(file, text string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	block, kept := make([]byte, 1<<20), 0
	for {
		n, err := io.ReadFull(f, block[kept:])
		if bytes.Contains(block[:kept+n], []byte(text)) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(block, block[len(block)-len(text)+1:])
	}
}
