package aot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/hlo"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/xla"
)

// Table holds the results of all programs of all cases.
type Table struct {
	Target string `json:"target"`
	Rows   []Row  `json:"rows"`
}

// Row is the result of one case.
type Row struct {
	Model string `json:"model"`
	Head  string `json:"head"`
	// Nodes is the size of a graph.
	Nodes int `json:"nodes"`
	// Refused says why there is no such model, or why it was not trained; the fields after it are then not set.
	Refused string `json:"refused,omitempty"`
	// Planned is Plan.Temporary of package pengcde, the estimated memory of the largest program, in bytes.
	Planned  int64     `json:"plannedBytes"`
	Programs []Program `json:"programs"`
}

// Program is a compiled program of a case. A program compiled for several shapes counts as several.
type Program struct {
	Name string `json:"name"`
	// Error is the first line of the compile error; the fields after it are then not set.
	Error string `json:"error,omitempty"`
	hlo.Count
	// Temporary is the memory that a call needs while it runs, in bytes.
	Temporary int64 `json:"temporaryBytes"`
	// Calls is the number of calls in one epoch of one batch on a CPU, for all shapes together. Each repetition of a loop
	// counts as a call.
	Calls int `json:"calls"`
}

// Maker compiles for a target.
type Maker struct {
	Backend  *xla.Backend // records
	Topology *xla.Topology
	// Results is a folder that keeps results of programs from one run to the next; "" keeps nothing.
	Results string
	// Memory bounds the bytes that a training on the CPU may need by its plan; 0 is no bound.
	Memory int64
	// Progress is called for each case.
	Progress func(row Row)
}

// Table makes the table of cases. While a case is compiled the next case is recorded.
func (m *Maker) Table(ctx context.Context, cases []Case) (rows []Row, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type made struct {
		*recorded
		Case
		err error
	}
	ready := make(chan made, len(cases))
	go func() {
		defer close(ready)
		for _, c := range cases {
			r, err := record(ctx, m.Backend, c, m.Memory)
			ready <- made{r, c, err}
			if err != nil && !refused(err) {
				return
			}
		}
	}()
	known := make(map[string]Program)
	for one := range ready {
		row := Row{Model: one.Model, Head: one.Head, Nodes: one.Config.Nodes}
		switch {
		case refused(one.err):
			row.Refused = one.err.Error()
			rows = append(rows, row)
			m.Progress(row)
			continue
		case one.err != nil:
			return nil, one.err
		}
		row.Planned = one.plan.Temporary
		for _, source := range one.sources {
			key := m.key(source)
			p, ok := known[key]
			if !ok {
				if p, err = m.compile(source, key); err != nil {
					return nil, err
				}
				known[key] = p
			}
			p.Name = nameOf(source.Name)
			p.Calls = one.calls[p.Name]
			row.Programs = append(row.Programs, p)
		}
		slices.SortStableFunc(row.Programs, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
		row.Programs = slices.Compact(row.Programs)
		rows = append(rows, row)
		m.Progress(row)
	}
	return rows, nil
}

// refused reports whether an error says that there is no such model, or that it needs too much memory.
func refused(err error) bool { return errors.Is(err, pengcde.ErrInput) || errors.Is(err, errMemory) }

// key names a program by what it is compiled from, but for its own name.
func (m *Maker) key(s xla.Source) string {
	code := strings.Replace(string(m.Topology.Code(s)), "module @"+s.Name, "module", 1)
	sum := sha256.Sum256(fmt.Appendln(nil, m.Topology.Identity(), code))
	return hex.EncodeToString(sum[:])
}

// result is the result of compiling a program, without its name and calls.
type result struct {
	Error     string
	Temporary int64
	Count     *hlo.Count // nil if there is an error; and in files of earlier versions, which had the program
}

// compile compiles a program, or finds its result, and counts.
func (m *Maker) compile(s xla.Source, key string) (p Program, err error) {
	var r result
	file := filepath.Join(m.Results, key+".json")
	content, err := os.ReadFile(file)
	if m.Results == "" || err != nil || json.Unmarshal(content, &r) != nil || r.Error == "" && r.Count == nil {
		compiled, err := m.Topology.Compile(s)
		switch {
		case errors.Is(err, xla.ErrCompile):
			r.Error, _, _ = strings.Cut(err.Error(), "\n")
		case err != nil:
			return p, err
		default:
			module, err := hlo.Parse(compiled.Optimized)
			if err != nil {
				return p, fmt.Errorf("%s: %w", s.Name, err)
			}
			count := module.Count()
			r.Temporary, r.Count = compiled.Temporary, &count
		}
		if content, err = json.Marshal(r); err != nil {
			return p, err
		}
		if m.Results != "" {
			if err := os.WriteFile(file, content, 0o600); err != nil {
				return p, err
			}
		}
	}
	if r.Error != "" {
		return Program{Error: r.Error}, nil
	}
	return Program{Count: *r.Count, Temporary: r.Temporary}, nil
}

// Largest returns the program with the most kernels of the first name that has one.
func (r Row) Largest(names ...string) (largest Program, ok bool) {
	for _, name := range names {
		for _, p := range r.Programs {
			if p.Name == name && (!ok || p.Kernels > largest.Kernels) {
				largest, ok = p, true
			}
		}
		if ok {
			break
		}
	}
	return largest, ok
}

// scatters are the most that a program of that name has.
func (r Row) scatters(name string) (most int) {
	for _, p := range r.Programs {
		if p.Name == name {
			most = max(most, p.Scatters)
		}
	}
	return most
}

// Names are the names of the row's programs.
func (r Row) Names() (names []string) {
	for _, p := range r.Programs {
		names = append(names, p.Name)
	}
	return slices.Compact(names)
}

// Temporary returns the memory that the row's largest program needs while it runs, in bytes.
func (r Row) Temporary() (most int64) {
	for _, p := range r.Programs {
		most = max(most, p.Temporary)
	}
	return most
}

// Faults returns the faults of the table: programs that do not compile, and programs with more scatters or kernels than
// in the stored table.
func (t *Table) Faults(stored *Table) (faults []string) {
	for _, row := range t.Rows {
		fault := func(name, format string, args ...any) {
			what := fmt.Sprintf(format, args...)
			faults = append(faults, fmt.Sprintf("%s, head %s, %d nodes, %s: %s", row.Model, row.Head, row.Nodes, name, what))
		}
		budget, known := stored.row(row)
		if row.Refused != "" && (!known || budget.Refused == "") {
			faults = append(faults, "refused and in the stored table not so: "+row.Refused)
		}
		for _, p := range row.Programs {
			if p.Error != "" {
				fault(p.Name, "%s", p.Error)
			}
			if most := budget.scatters(p.Name); p.Scatters > most {
				fault(p.Name, "%d scatters, in the stored table %d: gather, since CUDA adds slowly or in any order",
					p.Scatters, most)
			}
		}
		for _, name := range row.Names() {
			p, _ := row.Largest(name)
			most, has := budget.Largest(name)
			switch {
			case !known || !has:
				fault(name, "it is not in the stored table")
			case p.Kernels > most.Kernels && most.Error == "":
				fault(name, "%d kernels, in the stored table %d", p.Kernels, most.Kernels)
			}
		}
	}
	return faults
}

func (t *Table) row(like Row) (Row, bool) {
	at := slices.IndexFunc(t.Rows, func(r Row) bool {
		return r.Model == like.Model && r.Head == like.Head && r.Nodes == like.Nodes
	})
	if at < 0 {
		return Row{}, false
	}
	return t.Rows[at], true
}

// Read reads a table written by Write; a missing file gives an empty table.
func Read(file string) (*Table, error) {
	t := &Table{}
	content, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(content, t)
	}
	if err != nil {
		return nil, fmt.Errorf("internal/aot: table %s: %w", file, err)
	}
	return t, nil
}

// Write writes the table, a line for each program.
func (t *Table) Write(file string) error {
	rows := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		programs := make([]string, len(row.Programs))
		for k, p := range row.Programs {
			line, err := json.Marshal(p)
			if err != nil {
				return err
			}
			programs[k] = "  " + string(line)
		}
		row.Programs = nil
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		open := strings.TrimSuffix(string(line), "null}")
		rows[i] = fmt.Sprintf(" %s[\n%s\n ]}", open, strings.Join(programs, ",\n"))
	}
	text := fmt.Sprintf("{\"target\": %q, \"rows\": [\n%s\n]}\n", t.Target, strings.Join(rows, ",\n"))
	return os.WriteFile(file, []byte(text), 0o644)
}
