package doctor

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/peng-cde/pengcde-go/xla"
)

// cudaVersion is the version of CUDA of the plugin that "make cuda" installs: NVIDIA's driver 580 and newer have it.
const cudaVersion = 13000

// cuda lists the parts needed for computing on an NVIDIA GPU, as found on this machine.
type cuda struct {
	devices []string // files of the driver
	smi     string   // path of nvidia-smi
	driver  int      // CUDA version that the driver's library supports, such as 13000
	err     error    // why there is no driver
	plugins []string // files of CUDA plugins, from the folders and from the setting
}

// CUDA describes the parts that this machine lacks for computing on an NVIDIA GPU with the plugin in a file.
func CUDA(plugin string) Check {
	c := findCUDA("xla:" + plugin)
	c.plugins = []string{plugin}
	found := c.check()
	found.Name = "CUDA"
	return found
}

func findCUDA(setting string) (c cuda) {
	absent := func(file string) bool { _, err := os.Stat(file); return err != nil }
	c.devices = slices.DeleteFunc([]string{"/dev/nvidia0", "/dev/nvidiactl"}, absent)
	c.smi, _ = exec.LookPath("nvidia-smi")
	c.driver, c.err = driverVersion("libcuda.so.1")
	plugins, _ := findPlugins()
	setting = cmp.Or(setting, os.Getenv(xla.BackendEnv), os.Getenv(xla.GoMLXBackendEnv))
	named, _, _ := strings.Cut(strings.TrimPrefix(setting, "xla:"), ",")
	c.plugins = slices.DeleteFunc(append(plugins, named), func(file string) bool {
		return !pjrt.IsCUDAName(filepath.Base(file)) || absent(file)
	})
	return c
}

func (c cuda) check() Check {
	device, plugins := strings.Join(c.devices, ", "), strings.Join(c.plugins, ", ")
	const getDriver = "install NVIDIA's driver 580 or newer (its administrator does it), or give the container or the " +
		"job a GPU"
	switch nothing := device == "" && c.smi == "" && c.err != nil; {
	case nothing && plugins == "":
		return ok("no NVIDIA device and none needed: CPUs compute")
	case nothing:
		return Check{State: Warning, Detail: fmt.Sprintf("%s is installed, but there is no driver (%v) and no device "+
			"(/dev/nvidia0): CPUs compute", plugins, c.err), Fix: "nothing where CPUs are to compute; else " + getDriver}
	case device == "":
		return Check{State: Warning, Detail: cmp.Or(c.smi, "NVIDIA's driver") + " is there, but no device (/dev/nvidia0)",
			Fix: "nothing where CPUs are to compute; else load NVIDIA's driver, or give the container or the job a GPU"}
	case c.err != nil:
		return Check{State: Warning, Detail: fmt.Sprintf("%s, but no driver: %v", device, c.err), Fix: getDriver}
	case plugins == "":
		return Check{State: Warning, Detail: device + ", but no CUDA plugin: CPUs compute",
			Fix: `run "make cuda" in a checkout, or name a plugin by ` + xla.BackendEnv + "=xla:/path/to/plugin.so"}
	case c.driver < cudaVersion:
		return Check{State: Warning, Detail: fmt.Sprintf("%s; the driver supports CUDA %s, the plugin of make cuda needs "+
			"%s", device, dotted(c.driver), dotted(cudaVersion)), Fix: getDriver}
	}
	return ok("%s; the driver supports CUDA %s; %s", device, dotted(c.driver), plugins)
}

// dotted writes CUDA's version 13040 as 13.4.
func dotted(version int) string { return fmt.Sprintf("%d.%d", version/1000, version%1000/10) }
