package xla

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
)

// Expect is the [Backend.Kind] of what [Open] would open, found at once: plugins are looked at but not loaded, so one
// whose file is sound but which does not work on this machine is taken for one that does. Errors are those of Open for
// names that do not exist.
func Expect(cfg Config) (kind string, err error) {
	spec, from := cfg.named()
	head, _, _ := strings.Cut(spec, ",")
	name, plugin, _ := strings.Cut(head, ":")
	switch {
	case spec == "":
		for _, device := range bestDevices() {
			if slices.ContainsFunc(findPlugins(device), func(file string) bool { return checkPlugin(file) == nil }) {
				return goxla.BackendName + ":" + device, nil
			}
		}
		return goName, nil
	case slices.Contains(xlaNames, name):
		switch {
		case isFile(plugin):
			plugin = deviceOf(plugin)
		case plugin == "":
			plugin = cpu
			if devices := bestDevices(); len(findPlugins(devices[0])) > 0 {
				plugin = devices[0]
			}
		}
		return goxla.BackendName + ":" + plugin, nil
	case slices.Contains(compute.List(), name):
		return name, nil
	}
	return "", fmt.Errorf("xla: backend %q of %s: %w", spec, from, errUnknown)
}

// bestDevices are those that XLA could compute on here, the best first.
func bestDevices() []string {
	if hasCUDADevice() {
		return []string{cuda, cpu}
	}
	return []string{cpu}
}
