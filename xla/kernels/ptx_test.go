package kernels_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// The committed PTX was made from the sources as they are, for processors and drivers in use, and takes a pointer for
// each argument.
func TestPTX(t *testing.T) {
	digest := func(files ...string) string {
		sum := sha256.New()
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(content)
		}
		return hex.EncodeToString(sum.Sum(nil))
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), ".ptx")
		if !ok {
			continue
		}
		all++
		code, ok := kernels.PTX(name)
		if !ok {
			t.Fatalf("%s is not embedded", name)
		}
		source := regexp.MustCompile(`^// (cuda_[a-z]+\.h) ([0-9a-f]{64})\n`).FindStringSubmatch(code)
		if source == nil || digest("cuda_block.h", source[1]) != source[2] {
			t.Errorf("%s was not made from the sources: run make ptx (after make cuda)", name)
		}
		for _, want := range []string{".version 8.0\n", ".target sm_80\n", ".entry " + name + "(", ".maxntid 256"} {
			if strings.Count(code, want) != 1 {
				t.Errorf("%s: %d times %q, want once", name, strings.Count(code, want), want)
			}
		}
	}
	emulated := slices.Sorted(maps.Keys(kernels.Emulated(false)))
	if all != len(emulated) {
		t.Errorf("%d kernels in PTX, and %q emulated", all, emulated)
	}
	for _, name := range emulated {
		if _, ok := kernels.PTX(name); !ok {
			t.Errorf("%s has no PTX", name)
		}
	}
	if _, ok := kernels.PTX("pengcde_linear"); ok {
		t.Error("a kernel for CPUs has PTX")
	}
}

// With KernelsEnv "emulated" programs call the kernels for GPUs: the function that stands for one does not run.
func TestEmulated(t *testing.T) {
	if setting := os.Getenv(xla.KernelsEnv); setting != "emulated" {
		child := exec.Command(os.Args[0], "-test.run=^TestEmulated$", "-test.v")
		child.Env = append(os.Environ(), xla.KernelsEnv+"=emulated", xla.CacheEnv+"=off")
		said, err := child.CombinedOutput()
		if bytes.Contains(said, []byte("--- SKIP")) {
			t.Skip("no kernels here")
		}
		if err != nil || !bytes.Contains(said, []byte("--- PASS")) {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if backend.HasKernels() || strings.Contains(backend.String(), "does not take") || !backend.ForGPU() {
		t.Skip(backend)
	}
	sizes := []int32{1, 1, 2, 3, 1, 0, 1, 2} // two rows of 3 to 1, without a norm, after ReLU, in a block
	program, err := xla.NewProgram(backend, "emulated", func(in []*Node) []*Node {
		if !xla.HasGPUKernels(in[0]) {
			t.Error("no kernels for GPUs")
		}
		of := append([]*Node{Const(in[0].Graph(), sizes)}, in...)
		return xla.Call("pengcde_gpu_linear", func(in []*Node) []*Node {
			return []*Node{ConstAs(in[1], [][][]float64{{{0}, {0}}})}
		}, of...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	none := [][]float32{{0, 0, 0}}
	out, err := program.Call([][][]float32{{{1, 2, 3}, {-1, 2, -3}}}, none, none, [][][]float32{{{1, 10, 100}}},
		[][]float32{{7}}, []float32{0})
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	if y := out[0].Value().([][][]float32); y[0][0][0] != 328 || y[0][1][0] != 27 {
		t.Errorf("%v, want 328 and 27", y)
	}
}

// The limits in Go are the ones in CUDA.
func TestLimits(t *testing.T) {
	for file, constants := range map[string]map[string]int{
		"cuda_block.h":    {"THREADS": kernels.Threads},
		"cuda_linear.h":   {"ROOM": kernels.MostRowWidth},
		"cuda_messages.h": {"TABLES": kernels.MostTables, "MOST_NODES": kernels.MostNodes, "MOST_WIDTH": kernels.MostWidth},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range constants {
			found := regexp.MustCompile(`\b` + name + ` = (\d+)\b`).FindSubmatch(text)
			if found == nil || string(found[1]) != strconv.Itoa(want) {
				t.Errorf("%s: %s is %q, want %d", file, name, found, want)
			}
		}
	}
}
