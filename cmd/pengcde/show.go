package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/xla"
)

const (
	markdown = "markdown"
	asJSON   = "json"
)

type showCommand struct {
	choice
	Format string `help:"markdown (the tables) or json (every run)." enum:"markdown,json" default:"markdown"`
}

// Run prints what is stored, and computes nothing.
func (c *showCommand) Run(_ context.Context, s *streams) error {
	e, o, err := c.options()
	if err != nil {
		return err
	}
	results, err := e.Stored(o)
	if err != nil {
		return err
	}
	return show(s.out, results, c.Format)
}

func show(w io.Writer, r *experiments.Results, format string) error {
	if format == asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		return encoder.Encode(r)
	}
	tables, err := r.Tables()
	if err != nil {
		return err
	}
	for i, t := range tables {
		text, err := t.Markdown()
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

type listCommand struct{}

// Run prints every experiment with its models and the number of runs in each profile.
func (listCommand) Run(_ context.Context, s *streams) error {
	for i, e := range experiments.All() {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "%s: %s\n  data: %s\n", e.Name, e.Title, e.Data)
		w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
		profiles := experiments.Profiles()
		fmt.Fprint(w, "  model\t")
		for _, p := range profiles {
			fmt.Fprintf(w, "%s\t", p)
		}
		fmt.Fprintln(w)
		type line struct {
			id    string
			count map[experiments.Profile][2]int
		}
		var lines []*line
		for _, p := range profiles {
			stored, err := e.Stored(experiments.Options{Profile: p})
			if err != nil {
				return err
			}
			for _, row := range stored.Rows {
				var at *line
				for _, l := range lines {
					if l.id == row.Setting.ID {
						at = l
					}
				}
				if at == nil {
					at = &line{row.Setting.ID, make(map[experiments.Profile][2]int)}
					lines = append(lines, at)
				}
				c := at.count[p]
				at.count[p] = [2]int{c[0] + len(row.Runs), c[1] + row.Planned}
			}
		}
		for _, l := range lines {
			fmt.Fprintf(w, "  %s\t", l.id)
			for _, p := range profiles {
				if c := l.count[p]; c[1] > 0 {
					fmt.Fprintf(w, "%d of %d stored\t", c[0], c[1])
				} else {
					fmt.Fprint(w, "–\t")
				}
			}
			fmt.Fprintln(w)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

type versionCommand struct{}

// Run prints what would compute.
func (versionCommand) Run(_ context.Context, s *streams) error {
	versions := doctor.Versions()
	for _, name := range []string{"pengcde-go", "revision", "go", "gomlx", "compute", "go-xla", "gonum"} {
		if v := versions[name]; v != "" {
			fmt.Fprintf(s.out, "%-12s%s\n", name, v)
		}
	}
	backend, err := xla.Open(xla.Config{Notices: s.err})
	if err != nil {
		return err
	}
	defer backend.Close()
	_, err = fmt.Fprintf(s.out, "%-12s%s\n", "backend", backend)
	return err
}

type doctorCommand struct {
	Backend string `help:"The backend to examine; else as run takes it." placeholder:"NAME"`
}

// Run examines the machine; what is missing makes the exit code 1.
func (c *doctorCommand) Run(ctx context.Context, s *streams) error {
	folder, err := experiments.Folder()
	if err != nil {
		return err
	}
	checks := doctor.Examine(ctx, doctor.Options{Backend: c.Backend, Results: folder})
	if err := doctor.Write(s.out, checks); err != nil {
		return err
	}
	if doctor.Worst(checks) == doctor.Missing {
		var names []string
		for _, check := range checks {
			if check.State == doctor.Missing {
				names = append(names, check.Name)
			}
		}
		return fmt.Errorf("missing: %s", strings.Join(names, ", "))
	}
	return nil
}
