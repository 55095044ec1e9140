package ode

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// The programs for a GPU, which sum states inside steps term by term, solve and differentiate as those for a CPU do.
func TestProgramsForGPU(t *testing.T) {
	switch {
	case os.Getenv(xla.KernelsEnv) != "":
		t.Skip(xla.KernelsEnv + " is set")
	case !xlatest.Backend(t).HasKernels():
		t.Skip("no kernels here, so both are one")
	}
	child := exec.Command(os.Args[0], "-test.v",
		"-test.run=^Test(PullbackAgainstDifferences|ManySavesInAStep|GradientsOfMethods|PullbackAcrossJumps)$")
	child.Env = append(os.Environ(), xla.KernelsEnv+"=gpu")
	if said, err := child.CombinedOutput(); err != nil || bytes.Count(said, []byte("\n--- PASS: Test")) != 4 {
		t.Fatalf("%v\n%s", err, said)
	}
}
