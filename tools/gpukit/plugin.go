package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/xla"
)

// pythonSide is what a Python has: the plugin of jax-cuda13-pjrt, NVIDIA's libraries, and packages of the peer.
type pythonSide struct {
	Plugins  []string          `json:"plugins"`
	NVIDIA   []string          `json:"nvidia"` // folders with a folder for each library
	Versions map[string]string `json:"versions"`
	Lacks    []string          `json:"lacks"` // packages that the peer needs
	err      error
}

//go:embed packages.py
var packagesScript string

func askPython(ctx context.Context, python string) *pythonSide {
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	side := &pythonSide{}
	text, err := exec.CommandContext(ctx, python, "-c", packagesScript).Output()
	if err == nil {
		err = json.Unmarshal(text, side)
	}
	if err != nil {
		side.err = fmt.Errorf("%s: %w", python, err)
	}
	return side
}

const pluginName = "pjrt_c_api_cuda_plugin.so"

var errNoPlugin = errors.New("no CUDA plugin of XLA; install it by pip install \"jax[cuda13]==0.11.2\", or " +
	"name its file by -plugin or its folder by $PJRT_PLUGIN_LIBRARY_PATH")

// preparePlugin returns the folder of the CUDA plugin. A plugin of make cuda, with its libraries beside it, is used
// where it is. For Python's, which has another name and finds neither ptxas nor libdevice, preparePlugin makes such a
// folder of links, see cuda_side in tools/setup.sh.
func preparePlugin(folder, given string, python *pythonSide) (string, error) {
	file := given
	for _, searched := range xla.PluginFolders() {
		for _, name := range []string{pluginName, "xla_cuda_plugin.so"} { // the latter is in Python's packages
			if named := filepath.Join(searched, name); file == "" && exists(named) {
				file = named
			}
		}
	}
	if file == "" && len(python.Plugins) > 0 {
		file = python.Plugins[0]
	}
	if file == "" {
		return "", errors.Join(errNoPlugin, python.err)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if !exists(file) {
		return "", fmt.Errorf("-plugin %s: there is no such file", given)
	}
	if beside := filepath.Dir(file); filepath.Base(file) == pluginName && filepath.Base(beside) == "nvidia" {
		return beside, nil
	}
	beside := filepath.Join(folder, "nvidia") // the plugin looks for ../nvidia
	if err := os.Mkdir(beside, 0o755); err != nil {
		return "", err
	}
	for _, libraries := range append(python.NVIDIA, filepath.Join(filepath.Dir(file), "../../nvidia")) {
		entries, _ := os.ReadDir(libraries)
		for _, entry := range entries {
			link := filepath.Join(beside, entry.Name())
			if err := os.Symlink(filepath.Join(libraries, entry.Name()), link); err != nil && !errors.Is(err, os.ErrExist) {
				return "", err
			}
		}
	}
	// Parts of CUDA's compiler that XLA uses: of Python's packages, else of the system.
	kits := []string{filepath.Join(beside, "cu13"), filepath.Join(beside, "cuda_nvcc"), os.Getenv("CUDA_HOME"),
		"/usr/local/cuda", "/opt/cuda"}
	for part, has := range map[string]string{"bin": "bin/ptxas", "nvvm": "nvvm/libdevice/libdevice.10.bc"} {
		link := filepath.Join(beside, part)
		at := slices.IndexFunc(kits, func(kit string) bool { return kit != "" && exists(filepath.Join(kit, has)) })
		if at >= 0 && !exists(link) {
			if err := os.Symlink(filepath.Join(kits[at], part), link); err != nil {
				return "", err
			}
		}
	}
	return beside, os.Symlink(file, filepath.Join(beside, pluginName))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lacking returns an error that lists what the machine lacks, nil if nothing.
func lacking(folder string, plugin error) error {
	var all []string
	if plugin != nil {
		all, folder = append(all, plugin.Error()), "."
	}
	if c := doctor.CUDA(filepath.Join(folder, pluginName)); c.State != doctor.OK {
		detail := strings.TrimPrefix(c.Detail, pluginName+" is installed, but ")
		all = append(all, detail+"; "+strings.TrimPrefix(c.Fix, "nothing where CPUs are to compute; else "))
	}
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("%w:\n  - %s\ntry the kit itself on the CPU by -backend cpu", errMissing,
		strings.Join(all, "\n  - "))
}
