package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/peng-cde/pengcde-go/internal/aot"
	"github.com/peng-cde/pengcde-go/internal/gradients"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// The steps run in processes of this test program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-step" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// resultsOf runs the kit on the CPU and returns what it stored.
func resultsOf(t *testing.T, args ...string) (map[string]*Step, string, error) {
	t.Helper()
	backend, err := xla.Open(xla.Config{Backend: "xla:cpu"})
	if errors.Is(err, xla.ErrPlugin) {
		t.Skip(err)
	}
	backend.Close()
	folder := t.TempDir()
	var out strings.Builder
	failed := run(t.Context(), append([]string{"-backend", "cpu", "-size", "tiny", "-out", folder}, args...), &out)
	text, err := os.ReadFile(filepath.Join(folder, "gpu-kit.json"))
	if err != nil {
		t.Fatalf("%v; the run ended with %v", err, failed)
	}
	var results Results
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	byName := map[string]*Step{}
	for _, s := range results.Steps {
		byName[s.Name] = s
	}
	table, err := os.ReadFile(filepath.Join(folder, "gpu-kit.txt"))
	if err != nil || !strings.HasSuffix(out.String(), string(table)) {
		t.Errorf("the table on the output is not the stored one (%v):\n%s", err, &out)
	}
	return byName, string(table), failed
}

// In the tiny size every step runs; those that need the tests of the packages say that they are not there.
func TestStepsOnTheCPU(t *testing.T) {
	steps, table, err := resultsOf(t, "-python", "no-such-python", "-limit", "10m")
	if err != nil {
		t.Errorf("%v\n%s", err, table)
	}
	for name, want := range map[string]struct {
		state  State
		figure string
		reason string
	}{
		"doctor": {passed, "", ""}, "gradient": {passed, "PENG-CDE recommended: gradient", ""},
		"golden": {skipped, "", "make gpu-kit"}, "tests": {skipped, "", "make gpu-kit"},
		"epochs": {passed, "recommended field, 16 nodes", ""}, "million": {passed, "memory, planned", ""},
		"peer": {skipped, "", "no-such-python"}, "parts": {skipped, "PENG-CDE recommended, 16 nodes: pullback", "make"},
	} {
		s := steps[name]
		if s == nil || s.State != want.state || !strings.Contains(s.Reason, want.reason) {
			t.Errorf("%s: %+v, want %s", name, s, want.state)
			continue
		}
		found := want.figure == ""
		for _, f := range s.Figures {
			found = found || f.Name == want.figure && f.Value > 0
		}
		if !found || !strings.Contains(table, want.figure) {
			t.Errorf("%s: no positive figure %q among %v", name, want.figure, s.Figures)
		}
	}
}

// A step that runs out of time is ended, and the next one has its turn.
func TestTimeLimit(t *testing.T) {
	steps, table, err := resultsOf(t, "-limit", "100ms")
	if !errors.Is(err, errFailed) || !strings.Contains(err.Error(), "epochs (timed out)") {
		t.Errorf("error %v, want one that names the steps", err)
	}
	for _, s := range []string{"gradient", "epochs", "parts"} {
		if steps[s] == nil || steps[s].State != timedOut {
			t.Errorf("%s: %+v, want timed out\n%s", s, steps[s], table)
		}
	}
}

// The page on CUDA has the figures of the stored results, and their picture.
func TestStoredResults(t *testing.T) {
	text, err := os.ReadFile("h200.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored Results
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/cuda.md")
	if err != nil {
		t.Fatal(err)
	}
	epochs := slices.IndexFunc(stored.Steps, func(s *Step) bool { return s.Name == "epochs" })
	for _, f := range stored.Steps[epochs].Figures {
		if !strings.Contains(string(page), fmt.Sprintf("| %.3f (", f.Value)) {
			t.Errorf("docs/cuda.md has no %.3f: %s", f.Value, f)
		}
	}
	folder := t.TempDir()
	if err := drawStored("h200.json", folder); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(filepath.Join(folder, "gpu-kit.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := os.ReadFile("../../docs/h200.svg"); err != nil || !bytes.Equal(drawn, shown) {
		t.Errorf("docs/h200.svg is another picture (%v): copy gpu-kit.svg of go run ./tools/gpukit -draw "+
			"tools/gpukit/h200.json", err)
	}
}

// The gradient of the published field jumps where parameters move by a rounding error; with SiLU, as step gradient
// compares it, it does not.
func TestReferenceHasNoKink(t *testing.T) {
	backend, err := xla.Open(xla.Config{Backend: "xla:cpu"})
	if err != nil {
		t.Skip(err)
	}
	defer backend.Close()
	cases := gradientCases()
	smooth := cases[slices.IndexFunc(cases, func(c aot.Case) bool { return strings.HasSuffix(c.Model, "SiLU") })]
	smooth.Config.Float64 = true
	published := smooth
	published.Config.Field = field.PENG{}
	// moved is the gradient after a first step of AdamW, which moves each parameter by about the rate.
	moved := func(c aot.Case, rate float64) map[string][]float64 {
		model, err := pengcde.New(backend, c.Config)
		if err != nil {
			t.Fatal(err)
		}
		defer model.Close()
		windows, err := c.Data(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		step := train.Config{Epochs: 1, EvaluateEvery: train.NoValidation, BatchSize: len(windows),
			AdamW: train.AdamW{LearningRate: rate, WeightDecay: train.NoDecay}}
		if _, err := model.Fit(t.Context(), windows, nil, step); err != nil {
			t.Fatal(err)
		}
		_, gradient, err := gradients.Of(t.Context(), model, windows)
		if err != nil {
			t.Fatal(err)
		}
		return gradient
	}
	for _, one := range []struct {
		aot.Case
		jumps bool
	}{{smooth, false}, {published, true}} {
		differs, of, err := gradients.LargestDifference(moved(one.Case, 1e-12), moved(one.Case, 3e-7))
		if err != nil || differs > gradientTolerance != one.jumps {
			t.Errorf("the gradient of %s changes by %.1e, want more than %g to be %t: %v", of, differs,
				gradientTolerance, one.jumps, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"-backend tpu": "want cuda or cpu", "-size huge": "want gpu, cpu or tiny", "-only doctor,races": `no step "races"`,
		"-step x": "want one of doctor", "-limit 0s": "positive", "doctor": "flags alone",
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", args, err, want)
		}
	}
}

// Without a plugin the kit says what it misses, before anything runs.
func TestMissing(t *testing.T) {
	t.Setenv(pjrt.PJRTPluginPathsEnv, t.TempDir())
	out := filepath.Join(t.TempDir(), "results")
	err := run(t.Context(), []string{"-python", "no-such-python", "-out", out}, nil)
	if !errors.Is(err, errMissing) || !strings.Contains(err.Error(), "jax[cuda13]") ||
		!strings.Contains(err.Error(), "no-such-python") {
		t.Errorf("error %v, want one that says how to get the plugin", err)
	}
	if exists(out) {
		t.Error("a folder of results was made")
	}
}

// A plugin of Python's packages gets a folder with libraries and CUDA's compiler beside it; one of make cuda has them.
func TestPreparePlugin(t *testing.T) {
	t.Setenv(pjrt.PJRTPluginPathsEnv, t.TempDir())
	packages := t.TempDir()
	write := func(name string) string {
		file := filepath.Join(packages, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	plugin := write("jax_plugins/xla_cuda13/xla_cuda_plugin.so")
	for _, name := range []string{"cudnn/lib/libcudnn.so.9", "cu13/bin/ptxas", "cu13/nvvm/libdevice/libdevice.10.bc"} {
		write("nvidia/" + name)
	}
	made := filepath.Join(packages, "nvidia", pluginName)
	python := &pythonSide{Plugins: []string{plugin}, NVIDIA: []string{filepath.Join(packages, "nvidia")}}
	folder, err := preparePlugin(t.TempDir(), "", python)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pluginName, "../nvidia/cudnn/lib/libcudnn.so.9", "bin/ptxas",
		"nvvm/libdevice/libdevice.10.bc"} {
		if !exists(filepath.Join(folder, name)) {
			t.Errorf("no %s in the folder of the plugin", name)
		}
	}
	t.Setenv(pjrt.PJRTPluginPathsEnv, filepath.Dir(plugin))
	folder, err = preparePlugin(t.TempDir(), "", &pythonSide{})
	if err != nil || !exists(filepath.Join(folder, "bin/ptxas")) {
		t.Errorf("%s, %v; want a folder with links, by the variable alone", folder, err)
	}
	write("nvidia/" + pluginName)
	if folder, err := preparePlugin(t.TempDir(), made, python); err != nil || folder != filepath.Dir(made) {
		t.Errorf("%s, %v; want the folder of a plugin that is complete", folder, err)
	}
	if _, err := preparePlugin(t.TempDir(), "none.so", python); err == nil || !strings.Contains(err.Error(), "none.so") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// The output of a step has messages and lines; the last lines are kept.
func TestReadOutput(t *testing.T) {
	folder := t.TempDir()
	results := &Results{file: filepath.Join(folder, "gpu-kit.json"), folder: folder}
	var out strings.Builder
	r := runner{results: results, out: &out}
	s := results.begin("doctor", 0)
	var said strings.Builder
	c := child{out: &said}
	c.benchmark("BenchmarkProduct/n=64-2  10  22 ns/op  3 dense-µs  0.5 ratio")
	c.say(message{Skip: "no card"})
	r.read(strings.NewReader("a\n"+said.String()+strings.Repeat("b\n", keptLines)+"the end"), s)
	if len(s.Figures) != 2 || s.Figures[1] != (Figure{"Product/n=64-2", 0.5, "ratio", ""}) || s.Reason != "no card" ||
		len(s.Output) != keptLines || lastOf(s.Output) != "the end" {
		t.Errorf("%+v", s)
	}
	log, err := os.ReadFile(filepath.Join(folder, "log.txt"))
	if err != nil || !strings.HasPrefix(string(log), "doctor: a") {
		t.Errorf("log %q, %v", log, err)
	}
}
