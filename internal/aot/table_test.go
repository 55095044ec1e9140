package aot

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/hlo"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
	"github.com/peng-cde/pengcde-go/xla"
)

func row(programs ...Program) Row {
	return Row{Model: "m", Head: "node", Nodes: 9, Planned: 1 << 20, Programs: programs}
}

func kernels(name string, n int) Program {
	return Program{Name: name, Count: hlo.Count{Kernels: n, Launches: n}}
}

// Faults are errors, scatters, and kernels above those stored; fewer are none.
func TestFaults(t *testing.T) {
	stored := &Table{Rows: []Row{row(kernels("fewer", 3), kernels("more", 3), kernels("shapes", 2),
		kernels("shapes", 9), kernels("scatters", 1), kernels("broken", 1), Program{Name: "mended", Error: "no tiles"})}}
	scatters, broken := kernels("scatters", 1), Program{Name: "broken", Error: "no such operation"}
	scatters.Scatters = 2
	made := &Table{Rows: []Row{row(kernels("fewer", 2), kernels("more", 4), kernels("shapes", 9), kernels("new", 1),
		scatters, broken, kernels("mended", 7))}}
	want := []string{"m, head node, 9 nodes, scatters: 2 scatters, in the stored table 0",
		"m, head node, 9 nodes, broken: no such operation",
		"m, head node, 9 nodes, more: 4 kernels, in the stored table 3",
		"m, head node, 9 nodes, new: it is not in the stored table"}
	got := made.Faults(stored)
	if len(got) != len(want) {
		t.Fatalf("faults %q, want %q", got, want)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("fault %q, want %q", got[i], want[i])
		}
	}
	if faults := made.Faults(&Table{}); len(faults) < 7 {
		t.Errorf("without a stored table %q, want every program", faults)
	}
}

// A table that is written is read again; one that is not there is empty.
func TestTableFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h200.json")
	if empty, err := Read(file); err != nil || len(empty.Rows) > 0 {
		t.Errorf("%v, %v of no file", empty, err)
	}
	table := &Table{Target: "h200", Rows: []Row{row(kernels("a", 1), Program{Name: "b", Error: `no "tiles"`}),
		row(kernels("c", 2))}}
	if err := table.Write(file); err != nil {
		t.Fatal(err)
	}
	if again, err := Read(file); err != nil || !reflect.DeepEqual(again, table) {
		t.Errorf("%+v, %v, want %+v", again, err, table)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// Time is launches, bytes and multiply-adds; of several shapes the slowest counts for all calls.
func TestModel(t *testing.T) {
	h200, err := xla.TargetNamed("h200")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ModelOf(h200)
	if err != nil || m.BytesASecond != 4.8e12 || !(math.Abs(m.MultiplyAddsASecond-33.45e12) <= 0.01e12) {
		t.Errorf("model %+v, %v", m, err)
	}
	p := Program{Name: steps[1], Calls: 7,
		Count: hlo.Count{Launches: 10, Bytes: 4.8e6, MultiplyAdds: int64(m.MultiplyAddsASecond / 1e6)}}
	if got, want := m.Seconds(p), 32e-6; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%g seconds, want %g", got, want)
	}
	smaller := p
	smaller.Launches = 1
	if got, want := m.Epoch(row(smaller, p)), 7*32e-6; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("an epoch of %g seconds, want %g", got, want)
	}
}

func TestNameOf(t *testing.T) {
	for module, want := range map[string]string{"ode_step_12": "ode step", "AdamW_1": "AdamW", "loss": "loss"} {
		if got := nameOf(module); got != want {
			t.Errorf("%s is %q, want %q", module, got, want)
		}
	}
}

// Where a program does not compile, the page says so and predicts no epoch.
func TestMarkdownOfABrokenProgram(t *testing.T) {
	table := &Table{Rows: []Row{row(kernels(steps[1], 12), Program{Name: pullbacks[1], Error: "no tiles"})}}
	text := table.Markdown(Model{BytesASecond: 1, MultiplyAddsASecond: 1})
	for _, want := range []string{"| m | node | 1 of 2 | 12 | - |", "| - |\n",
		"m, head node, 9 nodes, ode step pullback does not compile: no tiles"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Steps that the device repeats stand before steps that the host calls; tries count both.
func TestMarkdownOfLoops(t *testing.T) {
	byDevice, byHost := kernels(steps[0], 60), kernels(steps[1], 70)
	byDevice.Calls, byHost.Calls = 26, 3
	table := &Table{Rows: []Row{row(byHost, byDevice)}}
	text := table.Markdown(Model{BytesASecond: 1, MultiplyAddsASecond: 1})
	if !strings.Contains(text, "| m | node | 2 of 2 | 60 | - |") || !strings.Contains(text, "| 29 |") {
		t.Errorf("want 60 kernels of a step and 29 tries in\n%s", text)
	}
}

// A model that is refused has no line in the table and one below it; where the stored table has it, that is a fault.
func TestRefused(t *testing.T) {
	refused := row()
	refused.Refused = "m, head node: too much memory"
	table := &Table{Target: "h200", Rows: []Row{row(kernels(steps[1], 12)), refused}}
	table.Rows[1].Nodes = 100
	text := table.MarkdownOfSizes(Model{BytesASecond: 1, MultiplyAddsASecond: 1})
	if !strings.Contains(text, "| m | node | 9 | 1 of 1 | 12 |") || strings.Count(text, "| m |") != 1 ||
		!strings.HasSuffix(text, "\n\n- m, head node: too much memory\n") {
		t.Error(text)
	}
	if faults := table.Faults(table); len(faults) != 0 {
		t.Errorf("faults %q of a table beside itself", faults)
	}
	table.Rows[0].Refused = "m, head node: no such head"
	if faults := table.Faults(&Table{Rows: []Row{row(kernels(steps[1], 12)), refused}}); len(faults) != 2 ||
		!strings.Contains(faults[0], "no such head") {
		t.Errorf("faults %q, want the row that is refused now and the row of other nodes", faults)
	}
}

// The pages show the stored tables, which have no faults.
func TestStoredTables(t *testing.T) {
	root, err := moduleroot.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := AllCases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, page string
		markdown   func(*Table, Model) string
		cases      []Case
	}{{"h200.json", "cuda.md", (*Table).Markdown, Cases(400)},
		{"h200-all.json", "cuda-programs.md", (*Table).MarkdownOfSizes, all}} {
		table, err := Read(filepath.Join(root, "tools/aot", c.file))
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) != len(c.cases) {
			t.Fatalf("%s: %d rows, want %d", c.file, len(table.Rows), len(c.cases))
		}
		for i, row := range table.Rows {
			if k := c.cases[i]; row.Model != k.Model || row.Head != k.Head || row.Nodes != k.Config.Nodes {
				t.Errorf("%s: row %d is %s, head %s, %d nodes, want %+v", c.file, i, row.Model, row.Head, row.Nodes, k)
			}
		}
		for _, fault := range table.Faults(table) {
			t.Error(fault)
		}
		target, err := xla.TargetNamed(table.Target)
		if err != nil {
			t.Fatal(err)
		}
		model, err := ModelOf(target)
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(root, "docs", c.page))
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReplaceTable(string(page), c.markdown(table, model))
		if err != nil {
			t.Fatal(err)
		}
		if again != string(page) {
			t.Errorf("docs/%s shows another table than tools/aot/%s: make it again with AOT_FLAGS=-write", c.page, c.file)
		}
	}
	if _, err := ReplaceTable("no table", ""); err == nil {
		t.Error("a page without a table takes one")
	}
}
