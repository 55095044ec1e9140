// Command aot compiles the programs of models for a GPU that is not there, "make aot": it writes a table of what became
// of them, and fails where one does not compile, or has more scatters or kernels than the stored table. It wants XLA's
// plugins for CPU and CUDA.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/aot"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "aot:", err)
		os.Exit(1)
	}
}

var errFaults = errors.New("this must not be")

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("aot", flag.ContinueOnError)
	card := flags.String("target", "h200", "the GPU: a100, h100, h200 or rtx4090")
	gpus := flags.Int("gpus", 1, "GPUs of the machine; a program runs on one of them")
	all := flags.Bool("all", false, "compile all models for graphs of several sizes, in place of main models for -nodes")
	nodes := flags.Int("nodes", 400, "nodes of a graph, a square number")
	heads := flags.String("heads", "", "heads to compile; all by default")
	only := flags.String("models", "", "models whose names have this in them; all by default")
	memory := flags.Float64("memory", 12, "GiB that a training on the CPU may need; larger models are refused")
	write := flags.Bool("write", false, "store the table in tools/aot, as the budget of kernels, and put it on its page")
	out := flags.String("out", "build/aot", "folder of the table, such as h200.json, and of results that are kept")
	options := flags.String("set", "", "flags of XLA, such as xla_gpu_enable_triton_gemm=true,xla_...")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *write && (*card != "h200" || *gpus != 1 || !*all && *nodes != 400 || *heads+*only+*options != "") {
		return errors.New("-write stores the whole table of an H200, with 400 nodes or -all: want no other choice")
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	target, err := xla.TargetNamed(*card)
	if err != nil {
		return err
	}
	target.GPUs = *gpus
	topology, err := xla.OpenTopology("", target)
	if err != nil {
		return err
	}
	defer topology.Close()
	for option := range strings.SplitSeq(*options, ",") {
		if name, value, found := strings.Cut(option, "="); found {
			topology.Set(name, valueOf(value))
		}
	}
	backend, err := aot.OpenBackend()
	if err != nil {
		return err
	}
	defer backend.Close()
	cases, suffix, page, markdown := aot.Cases(*nodes), "", "docs/cuda.md", (*aot.Table).Markdown
	if *all {
		suffix, page, markdown = "-all", "docs/cuda-programs.md", (*aot.Table).MarkdownOfSizes
		if cases, err = aot.AllCases(); err != nil {
			return err
		}
	}
	stored := "tools/aot/h200" + suffix + ".json"
	cases = slices.DeleteFunc(cases, func(c aot.Case) bool {
		return *heads != "" && !strings.Contains(","+*heads+",", ","+c.Head+",") || !strings.Contains(c.Model, *only)
	})
	if len(cases) == 0 {
		return fmt.Errorf("no model has %q in its name and a head of %q: try without -models and -heads", *only, *heads)
	}
	model, err := aot.ModelOf(target)
	if err != nil {
		return err
	}
	start := time.Now()
	maker := aot.Maker{Backend: backend, Topology: topology, Results: *out, Memory: int64(*memory * (1 << 30)),
		Progress: func(row aot.Row) {
			seconds := time.Since(start).Seconds()
			fmt.Printf("%4.0f s  %s, head %s, %d nodes: %d programs %s\n", seconds, row.Model, row.Head, row.Nodes,
				len(row.Programs), row.Refused)
		}}
	rows, err := maker.Table(ctx, cases)
	if err != nil {
		return err
	}
	table := &aot.Table{Target: target.Name, Rows: rows}
	text := markdown(table, model)
	fmt.Print(text)
	if err := table.Write(filepath.Join(*out, target.Name+suffix+".json")); err != nil {
		return err
	}
	if *write {
		return store(table, text, stored, page)
	}
	budget, err := aot.Read(stored)
	if err != nil {
		return err
	}
	var faults []string
	if budget.Target == table.Target && (*all || *nodes == 400) {
		faults = table.Faults(budget)
	} else { // no budget for these
		faults = table.Faults(table)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w:\n  %s", errFaults, strings.Join(faults, "\n  "))
	}
	return nil
}

// store writes the table and puts it on a page.
func store(table *aot.Table, shown, file, page string) error {
	if err := table.Write(file); err != nil {
		return err
	}
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := aot.ReplaceTable(string(content), shown)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

func valueOf(text string) any {
	var n int
	switch _, err := fmt.Sscanf(text, "%d", &n); {
	case text == "true", text == "false":
		return text == "true"
	case err == nil:
		return n
	}
	return text
}
