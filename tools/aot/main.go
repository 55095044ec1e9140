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
	nodes := flags.Int("nodes", 400, "nodes of a graph, a square number")
	heads := flags.String("heads", strings.Join(aot.Heads(), ","), "heads to compile")
	only := flags.String("models", "", "models whose names have this in them; all by default")
	stored := flags.String("stored", "tools/aot/h200.json", "the stored table, whose kernels are the budget")
	page := flags.String("page", "docs/cuda.md", "the page that shows the stored table")
	write := flags.Bool("write", false, "write the stored table and the page anew")
	out := flags.String("out", "build/aot", "folder of the table, such as h200.json, and of results that are kept")
	options := flags.String("set", "", "flags of XLA, such as xla_gpu_enable_triton_gemm=true,xla_...")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	target, err := xla.TargetNamed(*card)
	if err != nil {
		return err
	}
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
	cases, err := aot.Cases(ctx, *nodes)
	if err != nil {
		return err
	}
	var wanted []aot.Case
	for _, c := range cases {
		if strings.Contains(","+*heads+",", ","+c.Head+",") && strings.Contains(c.Model, *only) {
			wanted = append(wanted, c)
		}
	}
	model, err := aot.ModelOf(target)
	if err != nil {
		return err
	}
	start := time.Now()
	maker := aot.Maker{Backend: backend, Topology: topology, Results: *out, Progress: func(row aot.Row) {
		seconds := time.Since(start).Seconds()
		fmt.Printf("%4.0f s  %s, head %s: %d programs\n", seconds, row.Model, row.Head, len(row.Programs))
	}}
	rows, err := maker.Table(ctx, wanted)
	if err != nil {
		return err
	}
	table := &aot.Table{Target: target.Name, Nodes: *nodes, Rows: rows}
	fmt.Print(table.Markdown(model))
	if err := table.Write(filepath.Join(*out, target.Name+".json")); err != nil {
		return err
	}
	if *write {
		return store(table, model, *stored, *page)
	}
	budget, err := aot.Read(*stored)
	if err != nil {
		return err
	}
	var faults []string
	if budget.Target == table.Target && budget.Nodes == table.Nodes {
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
func store(table *aot.Table, model aot.Model, file, page string) error {
	if err := table.Write(file); err != nil {
		return err
	}
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := aot.Place(string(content), table.Markdown(model))
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
