package xla

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// flagsEnv is the environment variable with XLA's flags, which it reads once per process.
const flagsEnv = "XLA_FLAGS"

// ynnFlag selects the operations that XLA on a CPU delegates to the library YNNPACK.
const ynnFlag = "xla_cpu_experimental_ynn_fusion_type"

// opening is held while flags are set, so that each opening sees the user's own flags.
var opening sync.Mutex

// threadsEnv is the environment variable with the number of threads of XLA on a CPU, read when a client is opened.
const threadsEnv = "PJRT_NPROC"

// withEnvironment opens a plugin for the CPU with the given number of threads, if it is not 0, and with YNNPACK turned
// off. In the wheel that set-up installs (lammps-jax-pjrt-cpu 0.11.2) YNNPACK computes some products incorrectly
// without an error: products with a broadcast factor that are multiplied and summed. For other faults see jax-ml/jax
// issues 39103, 39257 and 40412.
//
// A flag set by the user takes precedence. A plugin that does not know the flag is opened without it, since XLA ends
// the process at an unknown flag.
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

// setEnv sets a variable and returns a function that restores it.
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

// mentions reports whether a file is readable and contains a text.
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
