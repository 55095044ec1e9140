// Command gpukit tries the library on a machine with an NVIDIA GPU and measures it there, in twelve minutes and without
// a checkout: "make gpu-kit" packs it with what it needs (docs/cuda.md). It runs steps one after the other, each in its
// own process with a time limit, and writes the results after each. It exits with 0 if no step failed, with 1
// otherwise, and with 3 if the machine lacks what a GPU needs.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	if name := os.Getenv(suiteEnv); name != "" {
		runSuite(name)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errMissing):
		fmt.Fprintln(os.Stderr, "gpukit:", err)
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, "gpukit:", err)
		os.Exit(1)
	}
}

var (
	errMissing = errors.New("this machine cannot compute on an NVIDIA GPU")
	errFailed  = errors.New("steps failed")
)

// options are the command line.
type options struct {
	backend, plugin, python, out, size, only string
	limit                                    time.Duration
	step                                     string // to run in this process
	reference                                string // file to write the values of step gradient to
	results                                  string // file of results to draw
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("gpukit", flag.ContinueOnError)
	flags.StringVar(&o.backend, "backend", "cuda", "cuda, or cpu to try the kit itself on XLA on the CPU")
	flags.StringVar(&o.plugin, "plugin", "", "file of XLA's CUDA plugin; else it is looked for in "+
		"$"+pjrt.PJRTPluginPathsEnv+" and among the packages of -python")
	flags.StringVar(&o.python, "python", "python3", "Python with jax-cuda13-pjrt, and jax and diffrax for the peer")
	flags.StringVar(&o.out, "out", "gpu-kit-results", "folder for the results")
	flags.StringVar(&o.size, "size", "", "of the work: gpu, cpu or tiny; else by -backend")
	flags.StringVar(&o.only, "only", "", "names of the steps to run, such as doctor,gradient; else all")
	flags.DurationVar(&o.limit, "limit", 12*time.Minute, "time for all steps")
	flags.StringVar(&o.step, "step", "", "run one step in this process, as the command itself does")
	flags.StringVar(&o.reference, "reference", "", "write the reference values of step gradient to this file and end")
	flags.StringVar(&o.results, "draw", "", "draw the results in this file to gpu-kit.svg in -out and end")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.size = cmp.Or(o.size, map[string]string{"cuda": "gpu", "cpu": "cpu"}[o.backend])
	_, known := sizes[o.size]
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q: want flags alone, such as -backend cpu", flags.Args())
	case o.backend != "cuda" && o.backend != "cpu":
		return o, fmt.Errorf("-backend %q, want cuda or cpu", o.backend)
	case !known:
		return o, fmt.Errorf("-size %q, want gpu, cpu or tiny", o.size)
	case o.limit <= 0:
		return o, fmt.Errorf("-limit %v, want a positive time such as 8m", o.limit)
	}
	for name := range strings.SplitSeq(o.only, ",") {
		if name != "" && stepNamed(name) == nil {
			return o, fmt.Errorf("-only %q: there is no step %q, want some of %s", o.only, name, stepNames())
		}
	}
	if o.step != "" && stepNamed(o.step) == nil {
		return o, fmt.Errorf("-step %q, want one of %s", o.step, stepNames())
	}
	return o, nil
}

// backendEnv names the backend for programs that the kit starts. Products are without TF32, as on a CPU.
func (o options) backendEnv() string { return "xla:" + o.backend + ",notf32" }

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	switch {
	case err != nil:
		return err
	case o.reference != "":
		return writeReference(ctx, o.reference)
	case o.results != "":
		return drawStored(o.results, o.out)
	case o.step != "":
		return (&child{size: sizes[o.size], options: o, out: out}).run(ctx)
	}
	folder, err := os.MkdirTemp("", "gpu-kit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	env := map[string]string{
		xla.BackendEnv: o.backendEnv(),
		xla.CacheEnv:   "off",  // compiling is timed
		"TMPDIR":       folder, // a step that is killed leaves files
		// JAX would else take three quarters of the GPU's memory.
		"XLA_PYTHON_CLIENT_PREALLOCATE": "false",
		"GLIBC_TUNABLES":                cmp.Or(os.Getenv("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1"), // docs/choices.md
	}
	python := askPython(ctx, o.python)
	if o.backend == "cuda" {
		plugin, err := preparePlugin(folder, o.plugin, python)
		if err := lacking(plugin, err); err != nil {
			return err
		}
		env[pjrt.PJRTPluginPathsEnv] = plugin
	}
	results := newResults(ctx, o, python)
	r := runner{options: o, env: env, results: results, out: out}
	if err := r.all(ctx); err != nil {
		return err
	}
	fmt.Fprint(out, "\n", results.Table())
	if bad := results.bad(); len(bad) > 0 {
		return fmt.Errorf("%w: %s; see %s", errFailed, strings.Join(bad, ", "), results.file)
	}
	return nil
}
