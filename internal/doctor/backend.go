package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// checkBackend opens the backend of a setting and adds two float32 vectors on it.
func checkBackend(setting string) Check {
	var notices strings.Builder
	start := time.Now()
	backend, err := xla.Open(xla.Config{Backend: setting, Notices: &notices})
	opened := time.Since(start)
	if err == nil {
		defer backend.Close()
		err = Computes(backend)
	}
	if err != nil {
		return Check{State: Missing, Detail: err.Error(),
			Fix: `name a backend that works, such as "go", as the backend ` +
				`or in $` + xla.BackendEnv + `; with none named the best that works is taken`}
	}
	c := ok("%v; opened in %v, a small program compiled and run in %v", backend, opened.Round(10*time.Microsecond),
		(time.Since(start) - opened).Round(10*time.Microsecond))
	if notice := strings.TrimSpace(notices.String()); notice != "" {
		c.State, c.Fix = Warning, strings.TrimPrefix(notice, "pengcde: ")
		if _, how, found := strings.Cut(notice, "slower; "); found {
			c.Fix = how // the origin has said the rest
		}
	}
	return c
}

// Computes compares sums of float32 on a backend with Go's own: IEEE 754 rounds an addition alike everywhere.
func Computes(backend *xla.Backend) error {
	program, err := xla.NewProgram(backend, "add", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Add(in[0], in[1])}
	})
	if err != nil {
		return err
	}
	defer program.Close()
	var buffers xla.Buffers
	defer buffers.Free()
	x, y := []float32{0.1, -3e7}, []float32{0.2, 1}
	in := buffers.Own(tensors.FromValue(x), tensors.FromValue(y))
	out, err := program.Call(in[0], in[1])
	if err != nil {
		return err
	}
	got, want := buffers.Own(out...)[0].Value(), []float32{x[0] + y[0], x[1] + y[1]}
	if sum, ok := got.([]float32); !ok || !slices.Equal(sum, want) {
		return fmt.Errorf("doctor: %v: %v + %v came out as %v, wanted %v", backend, x, y, got, want)
	}
	return nil
}

// findPlugins returns the files with a plugin's name, and the folders, each with its fault if it has one.
func findPlugins() (files, looked []string) {
	for _, folder := range xla.PluginFolders() {
		entries, err := os.ReadDir(folder)
		for _, entry := range entries {
			named, _ := filepath.Match("pjrt_c_api_*_plugin.*", entry.Name()) // the pattern is well formed
			file := filepath.Join(folder, entry.Name())
			if _, err := os.Stat(file); named && err == nil && filepath.Ext(file) != ".lock" {
				files = append(files, file)
			}
		}
		if err != nil {
			folder = fmt.Sprintf("%s (%v)", folder, errors.Unwrap(err)) // without the path once more
		}
		looked = append(looked, folder)
	}
	return files, looked
}

func checkPlugins() Check {
	files, looked := findPlugins()
	detail := fmt.Sprintf("looked in %s; $%s is %q", strings.Join(looked, ", "), pjrt.PJRTPluginPathsEnv,
		os.Getenv(pjrt.PJRTPluginPathsEnv))
	if len(files) == 0 {
		return Check{State: Warning, Detail: "none; " + detail, Fix: `run "make setup" in a checkout, or copy the ` +
			`plugin of a machine that has it into one of the folders; without, pure Go computes, about 10x slower`}
	}
	return ok("%s; %s", strings.Join(files, ", "), detail)
}
