package xla

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
)

// flagsEnv is where XLA reads its flags, once in a process.
const flagsEnv = "XLA_FLAGS"

// ynnFlag names the operations that XLA on a CPU hands to the library YNNPACK.
const ynnFlag = "xla_cpu_experimental_ynn_fusion_type"

// opening is held while flags are set, so that each opening finds the user's own when it is done.
var opening sync.Mutex

// withoutYNNPACK opens a plugin for the CPU so that XLA hands nothing to YNNPACK. In the wheel that set-up installs
// (lammps-jax-pjrt-cpu 0.11.2) it computes some products wrongly without an error: those with a broadcast factor that
// are multiplied and summed. See jax-ml/jax issues 39103, 39257 and 40412 for others of its faults.
//
// A flag that the user sets comes first, and a plugin that does not know it is opened as it is, since XLA ends the
// process at a flag that it does not know.
func withoutYNNPACK(file string, open func() error) error {
	opening.Lock()
	defer opening.Unlock()
	flags, set := os.LookupEnv(flagsEnv)
	if strings.Contains(flags, ynnFlag) || !mentions(file, ynnFlag) {
		return open()
	}
	os.Setenv(flagsEnv, strings.TrimSpace(flags+" --"+ynnFlag+"="))
	defer func() {
		if set {
			os.Setenv(flagsEnv, flags)
		} else {
			os.Unsetenv(flagsEnv)
		}
	}()
	return open()
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
