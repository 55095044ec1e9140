package xla

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	goxla "github.com/gomlx/go-xla/compute/xla"
)

// Expect returns the [Backend.Kind] of the backend that [Open] would open, without opening it. It inspects plugins but
// does not load them, so it cannot detect a valid plugin file that does not work on this machine. Errors are the same
// as Open's for unknown names.
func Expect(cfg Config) (kind string, err error) {
	s := cfg.setting()
	switch {
	case s.spec == "":
		for _, device := range bestDevices() {
			if slices.ContainsFunc(findPlugins(device), func(file string) bool { return checkPlugin(file) == nil }) {
				return goxla.BackendName + ":" + device, nil
			}
		}
		return goName, nil
	case slices.Contains(xlaNames, s.name):
		switch {
		case isFile(s.plugin):
			s.plugin = deviceOf(s.plugin)
		case s.plugin == "":
			s.plugin = cpu
			if devices := bestDevices(); len(findPlugins(devices[0])) > 0 {
				s.plugin = devices[0]
			}
		}
		return goxla.BackendName + ":" + s.plugin, nil
	case slices.Contains(compute.List(), s.name):
		return s.name, nil
	}
	return "", fmt.Errorf("xla: backend %q of %s: %w", s.spec, s.from, errUnknown)
}

// bestDevices returns the devices that XLA could use here, best first.
func bestDevices() []string {
	if hasCUDADevice() {
		return []string{cuda, cpu}
	}
	return []string{cpu}
}
