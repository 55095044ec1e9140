package xla

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
)

// Devices in the names of XLA plugins.
const (
	cpu  = "cpu"
	cuda = "cuda"
)

// cudaDevices are files of NVIDIA's driver. A machine or container with a device has at least one of them.
var cudaDevices = []string{"/dev/nvidia0", "/dev/nvidiactl"}

func hasCUDADevice() bool {
	return slices.ContainsFunc(cudaDevices, func(file string) bool {
		_, err := os.Stat(file)
		return err == nil
	})
}

// PluginFolders returns the folders that are searched for plugins, in order, as in go-xla: $PJRT_PLUGIN_LIBRARY_PATH,
// else folders of the user and of the system.
func PluginFolders() []string {
	if path, set := os.LookupEnv(pjrt.PJRTPluginPathsEnv); set {
		return slices.DeleteFunc(filepath.SplitList(path), func(folder string) bool { return folder == "" })
	}
	bases := []string{"/usr/local/lib"}
	if home, err := os.UserHomeDir(); err == nil {
		bases = []string{filepath.Join(home, ".local", "lib"), "/usr/local/lib"}
	}
	var folders []string
	for _, base := range bases {
		folder := filepath.Join(base, "go-xla")
		folders = append(folders, folder, filepath.Join(folder, "nvidia"))
	}
	return folders
}

// findPlugins returns the files of the plugins with a name, best first: in the order of the folders, and in each folder
// the file without a version, then the version that go-xla was tested with, then the newest.
func findPlugins(name string) []string {
	var found []string
	for _, folder := range PluginFolders() {
		named := func(name string) string {
			return filepath.Join(folder, "pjrt_c_api_"+name+"_plugin"+libraryExtension())
		}
		var versions []string
		entries, _ := os.ReadDir(folder) // most folders do not exist
		for _, entry := range entries {
			if versioned, _ := filepath.Match(filepath.Base(named(name+"_v*")), entry.Name()); versioned {
				versions = append(versions, filepath.Join(folder, entry.Name()))
			}
		}
		slices.SortFunc(versions, func(a, b string) int {
			return -cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) // v0.114.0 before v0.98.0
		})
		for _, file := range append([]string{named(name), named(name + "_" + pjrt.DefaultCPUVersion)}, versions...) {
			if _, err := os.Stat(file); err == nil && !slices.Contains(found, file) {
				found = append(found, file)
			}
		}
	}
	return found
}

func libraryExtension() string {
	return cmp.Or(map[string]string{"darwin": ".dylib", "windows": ".dll"}[runtime.GOOS], ".so")
}

// isFile reports whether plugin is a file, not a name.
func isFile(plugin string) bool {
	return strings.ContainsRune(plugin, filepath.Separator) || filepath.Ext(plugin) == libraryExtension()
}

// openXLA opens the plugin with a name or path. An empty name means CUDA, else the CPU.
func openXLA(plugin, options, why string) (*Backend, error) {
	if isFile(plugin) {
		file, err := filepath.Abs(plugin)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrPlugin, err)
		}
		return openPlugin(file, options, why, 0)
	}
	devices := []string{plugin}
	if plugin == "" {
		devices = bestDevices()
	}
	var found []string
	for _, device := range devices {
		found = append(found, findPlugins(device)...)
	}
	if len(found) == 0 {
		hint := "put it in one of them, or name its file by xla:/path/to/plugin" + libraryExtension()
		if plugin == "" || plugin == cpu {
			hint = howToGetXLA
		}
		if plugin == cuda {
			hint = howToGetCUDA + ", or " + hint
		}
		return nil, fmt.Errorf("%w: no pjrt_c_api_NAME_plugin%s with NAME %s, with or without a version, in %s; %s",
			ErrPlugin, libraryExtension(), strings.Join(devices, " or "), strings.Join(PluginFolders(), ", "), hint)
	}
	backend, err := openFirst(found, options, why)
	if err != nil && plugin == cuda && !hasCUDADevice() {
		err = fmt.Errorf("%w; no CUDA device was found (%s)", err, strings.Join(cudaDevices, ", "))
	}
	return backend, err
}

// openFirst opens the first of the files that works. The error lists the failures of all files; it is nil if there are
// none.
func openFirst(files []string, options, why string) (*Backend, error) {
	var failures []error
	for _, file := range files {
		backend, err := openPlugin(file, options, why, 0)
		if err == nil {
			return backend, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// openPlugin opens the plugin in a file, given by its absolute path: go-xla then neither searches nor downloads.
// threads is the number of threads on a CPU; 0 means $PJRT_NPROC, else one per core.
func openPlugin(file, options, why string, threads int) (*Backend, error) {
	if err := checkPlugin(file); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPlugin, file, err)
	}
	device, spec, plugin := deviceOf(file), file, pjrt.NamedValuesMap{}
	if device == cuda && !strings.Contains(options, "shared_buffers") {
		spec += ",noshared_buffers" // go-xla takes a "cpu" anywhere in the path for one that shares memory with Go
	}
	if options != "" {
		spec += "," + options
	}
	var b compute.Backend
	var notice string
	var err error
	var kernelless string
	loops := false
	open := func() error {
		b, err = newCompute(func() (compute.Backend, error) { return goxla.NewWithOptions(spec, plugin) })
		return err
	}
	if device == cpu {
		plugin["cpu_device_count"] = int64(1) // the plugin's default, 4, makes at least 4 threads, on one core too
		keepFreedMemory()
		err = withEnvironment(file, threads, func() error {
			notice, err = intercepting(file, open)
			if kernelless = withoutKernels(file); err == nil && kernelless == "" {
				calling.Store(b, true)
			}
			loops = intercepted(file)
			return err
		})
		if setting := os.Getenv(KernelsEnv); err == nil && setting == "gpu" {
			forGPU.Store(b, true)
		}
	} else if err = open(); err == nil {
		forGPU.Store(b, true)
		if device == cuda {
			loops = repeatLoops(file)
			tuneCUDA(file)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s was found but does not work here: %w", ErrPlugin, file, err)
	}
	backend := &Backend{Compute: b, Device: device, Origin: why + "; plugin " + file, notice: notice, loops: loops}
	if kernelless != "" {
		backend.Origin += "; slower, without kernels: " + kernelless
	}
	switch gpus := b.NumDevices(); {
	case device == cpu && threads == 0:
		backend.workers = onCores(func() (*Backend, error) { return openPlugin(file, options, why, 1) })
	case device == cuda && gpus > 1:
		visible, rest := visibleGPUs(options, int(gpus))
		backend.workers = onGPUs(visible, func(gpu string) (*Backend, error) {
			return openPlugin(file, strings.TrimPrefix(rest+","+visibleOption+gpu, ","), why, threads)
		})
	}
	return backend, nil
}

// visibleOption is go-xla's option for the indices of the GPUs that a client sees, separated by semicolons.
const visibleOption = "visible_devices="

// visibleGPUs returns the indices of the GPUs that a client with these options sees, and the other options. count is
// their number.
func visibleGPUs(options string, count int) (indices []string, rest string) {
	others := slices.DeleteFunc(strings.Split(options, ","), func(option string) bool {
		named, found := strings.CutPrefix(option, visibleOption)
		if found {
			indices = strings.Split(named, ";")
		}
		return found
	})
	for i := 0; len(indices) < count; i++ {
		indices = append(indices, strconv.Itoa(i))
	}
	return indices, strings.Join(others, ",")
}

// deviceOf returns the device of a plugin, from its file name: "cuda", "cpu" or the name of another device.
func deviceOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	name = strings.TrimSuffix(strings.TrimPrefix(name, "pjrt_c_api_"), "_plugin")
	switch {
	case pjrt.IsCUDAName(name):
		return cuda
	case strings.Contains(strings.ToLower(name), cpu):
		return cpu
	}
	return name
}

// checkPlugin returns an error for a faulty plugin file, without loading it.
func checkPlugin(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return errors.New("there is no such file that can be read; check the path")
	case info.IsDir():
		return errors.New("this is a folder; name the plugin's file in it")
	case strings.Contains(file, ","):
		return errors.New("go-xla reads what follows a comma in a path as options; move the plugin")
	case deviceOf(file) != cuda && pjrt.IsCUDAName(file):
		return errors.New(`go-xla takes a "cuda" or "nvidia" anywhere in the path for a CUDA plugin; move the plugin`)
	}
	if err := nobodyElses(file); err != nil {
		return fmt.Errorf("a plugin is native code: %w", err)
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	library, err := elf.Open(file)
	if err != nil {
		return fmt.Errorf("this is not a shared library (%w); fetch it again", err)
	}
	defer library.Close()
	symbols, err := library.DynamicSymbols()
	if err != nil || !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == pjrt.GetPJRTApiFunctionName && s.Section != elf.SHN_UNDEF
	}) {
		return fmt.Errorf("this shared library exports no %s, so it is not an XLA plugin", pjrt.GetPJRTApiFunctionName)
	}
	return nil
}
