package xla

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Target is a GPU to compile for, on any machine. [Targets] lists some. For others, put the text of a file of OpenXLA's
// xla/backends/gpu/target_config/specs into Config.
type Target struct {
	// Name is for people, such as "h200".
	Name string
	// Config is the text form of XLA's GpuTargetConfigProto.
	Config string
	// GPUs is the number of such GPUs in the machine; 0 means 1. A program runs on one of them.
	GPUs int
}

//go:embed targets/*.txtpb
var targets embed.FS

const targetExtension = ".txtpb"

// Targets are those that come with the package, by name: data-centre cards (a100, h100, h200) and one for a desktop
// (rtx4090).
func Targets() (all []Target) {
	entries, err := targets.ReadDir("targets")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, entry := range entries {
		content, err := targets.ReadFile(path.Join("targets", entry.Name()))
		if err != nil {
			panic(err)
		}
		all = append(all, Target{Name: strings.TrimSuffix(entry.Name(), targetExtension), Config: string(content)})
	}
	return all
}

// TargetNamed returns one of [Targets]; the error wraps [ErrTarget] and lists the names.
func TargetNamed(name string) (Target, error) {
	var names []string
	for _, target := range Targets() {
		if target.Name == name {
			return target, nil
		}
		names = append(names, target.Name)
	}
	return Target{}, fmt.Errorf("xla: %w: %q, want one of %s", ErrTarget, name, strings.Join(names, ", "))
}

// Figure is a number of the target's Config, such as its "memory_bandwidth" in bytes a second, "clock_rate_ghz",
// "core_count", "fpus_per_core" or "device_memory_size" in bytes; the error wraps [ErrTarget].
func (t Target) Figure(name string) (float64, error) {
	found := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(name) + `:\s*([0-9.]+)`).FindStringSubmatch(t.Config)
	if found == nil {
		return 0, fmt.Errorf("xla: %w: %q has no %s", ErrTarget, t.Name, name)
	}
	return strconv.ParseFloat(found[1], 64)
}

// check finds what XLA's compiler divides by, and would end the process over.
func (t Target) check() error {
	for _, name := range []string{"threads_per_warp", "threads_per_block_limit", "core_count", "fpus_per_core",
		"memory_bandwidth", "clock_rate_ghz", "device_memory_size"} {
		if value, err := t.Figure(name); err != nil {
			return err
		} else if !(value > 0) {
			return fmt.Errorf("xla: %w: %q has %s %g, want a positive number", ErrTarget, t.Name, name, value)
		}
	}
	if !slices.Contains(strings.Fields(t.Config), "cuda_compute_capability") {
		return fmt.Errorf("xla: %w: %q has no cuda_compute_capability", ErrTarget, t.Name)
	}
	if t.GPUs < 0 {
		return fmt.Errorf("xla: %w: %q has %d GPUs, want 1 or more, or 0 for 1", ErrTarget, t.Name, t.GPUs)
	}
	return nil
}
