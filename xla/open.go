package xla

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // registers the backend "go"
	goxla "github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/gomlx/support/exceptions"
)

// The environment variables that name a backend, used if the Config names none. The first one set counts.
const (
	BackendEnv      = "PENGCDE_BACKEND"
	GoMLXBackendEnv = compute.ConfigEnvVar // GOMLX_BACKEND
)

var (
	// ErrPlugin means that a requested XLA plugin is missing, is not a plugin, or does not work here with the options.
	ErrPlugin = errors.New("XLA plugin cannot be used")
	// ErrSetting means that a backend with this name does not exist or cannot be opened.
	ErrSetting = errors.New("backend setting is not understood")
)

// Config chooses a backend; the zero value lets [Open] choose.
type Config struct {
	// Backend names a backend as in GoMLX: "go", "xla:cpu", "xla:cuda", "xla:/path/to/plugin.so" or "xla" (CUDA, else
	// CPU), with go-xla's options after a comma ("xla:cuda,notf32"). Default: $PENGCDE_BACKEND, else $GOMLX_BACKEND,
	// else the best backend available.
	Backend string
	// Notices receives one line if a better backend is possible on the machine, which [Backend.Origin] contains too,
	// and one line if the folder of compiled programs is refused (see [CacheEnv]). Default: os.Stderr; io.Discard
	// silences.
	Notices io.Writer
}

// goName is the name of the pure-Go backend; xlaNames are GoMLX's names for XLA.
const goName = "go"

var xlaNames = []string{goxla.BackendName, "stablehlo", "hlo", "shlo"}

// Open opens a backend. If one is named (see [Config]), Open opens it or returns an error, [ErrPlugin] or [ErrSetting],
// that says what was searched for, where, and how to fix it. Otherwise Open uses CUDA if a device and a plugin are
// present, else XLA on the CPU, else the pure-Go backend, which is about ten times slower. The caller closes it.
//
// With XLA on the CPU, under glibc, the process keeps the memory that it frees, which is faster. Set
// MALLOC_TRIM_THRESHOLD_ to return it (see mallopt(3)). XLA does not use YNNPACK, which computes some products
// incorrectly, unless $XLA_FLAGS sets xla_cpu_experimental_ynn_fusion_type. On Linux compiled programs are stored on
// disk for later processes, see [CacheEnv].
func Open(cfg Config) (*Backend, error) {
	if s := cfg.setting(); s.spec != "" {
		backend, err := s.open()
		if err != nil {
			return nil, fmt.Errorf("xla: backend %q of %s: %w", s.spec, s.from, err)
		}
		cfg.notify(backend.notice)
		return backend, nil
	}
	backend, notice, err := openBest()
	if err != nil {
		return nil, fmt.Errorf("xla: %w", err)
	}
	cfg.notify(notice, backend.notice)
	return backend, nil
}

// notify writes the nonempty notices, one per line.
func (cfg Config) notify(notices ...string) {
	for _, notice := range notices {
		if notice != "" {
			fmt.Fprintln(cmp.Or[io.Writer](cfg.Notices, os.Stderr), "pengcde: "+notice)
		}
	}
}

// setting is a requested backend, such as "xla:cpu,notf32", and the source of the request. "" leaves the choice to
// Open.
type setting struct{ spec, from, name, plugin, options string }

func (cfg Config) setting() (s setting) {
	s = setting{spec: cfg.Backend, from: "Config.Backend"}
	for _, env := range []string{BackendEnv, GoMLXBackendEnv} {
		if s.spec == "" {
			s.spec, s.from = os.Getenv(env), "$"+env
		}
	}
	head, options, _ := strings.Cut(s.spec, ",")
	s.name, s.plugin, _ = strings.Cut(head, ":")
	s.options = options
	return s
}

func (s setting) open() (*Backend, error) {
	switch {
	case s.name == goName:
		return openGo(s.from + " asks for it")
	case slices.Contains(xlaNames, s.name):
		return openXLA(s.plugin, s.options, s.from+"="+s.spec)
	case slices.Contains(compute.List(), s.name): // registered by the program that imports this package
		b, err := newCompute(func() (compute.Backend, error) { return compute.NewWithConfig(s.spec) })
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSetting, err)
		}
		return &Backend{Compute: b, Device: s.name, Origin: s.from + " asks for it"}, nil
	}
	return nil, errUnknown
}

var errUnknown = fmt.Errorf("%w: wanted go, xla:cpu, xla:cuda or xla:/path/to/plugin.so, with options after a comma",
	ErrSetting)

// openBest opens the best backend available. notice says what a better one would need.
func openBest() (backend *Backend, notice string, err error) {
	folders := strings.Join(PluginFolders(), ", ")
	var failures []error
	why := "no CUDA device"
	if hasCUDADevice() {
		why = "CUDA device found"
	}
	for _, device := range bestDevices() {
		found := findPlugins(device)
		backend, err := openFirst(found, "", why)
		if backend != nil {
			return backend, oneLine(notice, failures), nil
		}
		if err != nil {
			failures = append(failures, err)
		}
		if device == cuda {
			why += ", but no cuda plugin that works"
			notice = fmt.Sprintf("a CUDA device is there, but no pjrt_c_api_cuda_plugin.so that works in %s: XLA "+
				"computes on the CPU; %s", folders, howToGetCUDA)
		}
	}
	backend, err = openGo("no XLA plugin that works in " + folders)
	return backend, oneLine(fmt.Sprintf("no XLA plugin that works in %s: the pure-Go backend computes, about 10x "+
		"slower; %s", folders, howToGetXLA), failures), err
}

// howToGetXLA is the advice for a missing CPU plugin.
const howToGetXLA = `run "make setup" in a checkout of pengcde-go, or "pip install lammps-jax-pjrt-cpu" ` +
	`and copy its pjrt_c_api_cpu_plugin.so to ~/.local/lib/go-xla`

const howToGetCUDA = `run "make cuda" in a checkout of pengcde-go`

// oneLine appends the failures to a notice, free of line breaks.
func oneLine(notice string, failures []error) string {
	for _, err := range failures {
		notice += fmt.Sprintf(" (%v)", err)
	}
	return strings.Join(strings.Fields(notice), " ")
}

// newCompute calls open with panics as errors: go-xla 0.4.5 panics for some files that are not plugins.
func newCompute(open func() (compute.Backend, error)) (b compute.Backend, err error) {
	if caught := exceptions.TryCatch[error](func() { b, err = open() }); caught != nil {
		return nil, caught
	}
	return b, err
}

func openGo(origin string) (*Backend, error) {
	// Run one operation after another, each on several cores: in compute 0.1.6 parallel operations can deadlock.
	b, err := newCompute(func() (compute.Backend, error) { return compute.NewWithConfig("go:ops_sequential") })
	if err != nil {
		return nil, err
	}
	return &Backend{Compute: b, Device: "go", Origin: origin}, nil
}
