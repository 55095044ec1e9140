// Command pack builds the kit for a machine with a GPU, "make gpu-kit": one archive with gpukit, pengcde, and the files
// that their tests read. gpukit has the tests of several packages in it, see [suites].
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	out := flag.String("out", "build", "folder of the archive")
	flag.Parse()
	file, err := pack(*out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
	fmt.Println(file)
}

// packages whose tests the kit runs.
var packages = []string{"pengcde/equivariant", "pengcde/field", "pengcde/nn", "pengcde/ode",
	"experiments/paper", "experiments/paper/series", "experiments/paper/worlds"}

// data are files that the tests read.
var data = []string{"internal/fixture/testdata", "experiments/paper/testdata"}

// mostBytes bounds the archive.
const mostBytes = 24 << 20

// pack runs in the checkout and returns the path of the archive.
func pack(out string) (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("this is %s/%s, want linux/amd64: the kit has programs for the machine it is built on",
			runtime.GOOS, runtime.GOARCH)
	}
	kit := filepath.Join(out, "gpu-kit")
	if err := os.RemoveAll(kit); err != nil {
		return "", err
	}
	overlay, err := suites(filepath.Join(out, "gpu-kit-suites"), packages)
	if err != nil {
		return "", err
	}
	// testing.Testing is true in a program that go test builds.
	const flags = "-s -w -X testing.testBinary=1"
	for _, args := range [][]string{{"-overlay", overlay, "-ldflags", flags, "-o", filepath.Join(kit, "gpukit"),
		"./tools/gpukit"}, {"-ldflags", "-s -w", "-o", filepath.Join(kit, "pengcde"), "./cmd/pengcde"}} {
		if err := command("go", append([]string{"build", "-trimpath", "-buildvcs=false"}, args...)...); err != nil {
			return "", err
		}
	}
	module := filepath.Join(kit, "module")
	for _, folder := range data {
		if err := os.CopyFS(filepath.Join(module, folder), os.DirFS(folder)); err != nil {
			return "", err
		}
	}
	// Tests run in their package's folder. With -trimpath the path of a source file begins with the module's, by which
	// package fixture finds its files.
	for _, name := range packages {
		folder := filepath.Join(module, name, "github.com", "peng-cde")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
		root := strings.Repeat("../", strings.Count(name, "/")+1+2)
		if err := os.Symlink(root, filepath.Join(folder, "pengcde-go")); err != nil {
			return "", err
		}
	}
	return compress(out)
}

// compress archives the kit by the best program that is there.
func compress(out string) (string, error) {
	for _, c := range []struct{ program, by, extension string }{
		{"xz", "xz --x86 --lzma2=preset=9e,dict=64MiB", "xz"}, {"zstd", "zstd --ultra -22 --long=27", "zst"}} {
		if _, err := exec.LookPath(c.program); err != nil {
			continue
		}
		file := filepath.Join(out, "gpu-kit.tar."+c.extension)
		if err := command("tar", "-C", out, "--sort=name", "--owner=0", "--group=0", "-I", c.by, "-cf", file,
			"gpu-kit"); err != nil {
			return "", err
		}
		info, err := os.Stat(file)
		if err == nil && info.Size() >= mostBytes {
			err = fmt.Errorf("%s has %d bytes, want less than %d", file, info.Size(), mostBytes)
		}
		return file, err
	}
	return "", fmt.Errorf("neither xz nor zstd is installed (Debian, Ubuntu: apt install xz-utils)")
}

func command(name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
