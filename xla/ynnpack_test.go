package xla

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// A plugin is opened with the flag if it knows it and the user has not set it. The environment is restored afterwards.
func TestYNNPACKIsOff(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const flag = "--" + ynnFlag + "="
	across := append(bytes.Repeat([]byte{1}, 1<<20-5), ynnFlag...) // over the end of a block
	knows, other := file("knows", across), file("other", across[:len(across)-1])
	failure := errors.New("not a plugin")
	for name, c := range map[string]struct{ plugin, before, during string }{
		"no flags":           {knows, "", flag},
		"another flag":       {knows, "--xla_dump_to=/x", "--xla_dump_to=/x " + flag},
		"the user's own":     {knows, flag + "LIBRARY_FUSION_TYPE_REDUCE", flag + "LIBRARY_FUSION_TYPE_REDUCE"},
		"a plugin without":   {other, "--xla_dump_to=/x", "--xla_dump_to=/x"},
		"a plugin not there": {filepath.Join(folder, "none"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(flagsEnv, c.before)
			if c.before == "" {
				os.Unsetenv(flagsEnv)
			}
			var during string
			err := withEnvironment(c.plugin, 0, func() error {
				during = os.Getenv(flagsEnv)
				return failure
			})
			if err != failure || during != c.during {
				t.Errorf("opened with %q and %v, want %q", during, err, c.during)
			}
			if after, set := os.LookupEnv(flagsEnv); after != c.before || set != (c.before != "") {
				t.Errorf("%q is left, want %q", after, c.before)
			}
		})
	}
}

// YNNPACK computes a product with a broadcast factor, multiplied and summed, incorrectly.
func TestProductWithABroadcast(t *testing.T) {
	backend, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	const batch, n, factor = 5, 60, 1.7
	program, err := NewProgram(backend, "product with a broadcast", func(in []*Node) []*Node {
		product := DotGeneral(in[0], []int{2}, []int{0}, BroadcastToDims(in[1], batch, n, n), []int{1}, []int{0})
		return []*Node{ReduceSum(Mul(product, in[0]), 2)}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	x := make([]float64, batch*n*n)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	out, err := program.Call(tensors.FromFlatDataAndDimensions(x, batch, n, n), tensors.FromValue(factor))
	if err != nil {
		t.Fatal(err)
	}
	defer Free(out...)
	for row, got := range tensors.MustCopyFlatData[float64](out[0]) {
		sum := 0.0 // each entry of the product is the factor times the sum of the row
		for _, v := range x[row*n : (row+1)*n] {
			sum += v
		}
		if want := factor * sum * sum; !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
			t.Fatalf("row %d: %g, want %g", row, got, want)
		}
	}
}
