package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/xla"
)

type versionCommand struct{}

// Run prints versions, backend and device.
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
	const indent = 12
	lines := plain.Wrap(backend.String(), usualWidth-indent)
	_, err = fmt.Fprintf(s.out, "%-*s%s\n", indent, "backend", strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
	return err
}

type doctorCommand struct {
	Backend string `help:"The backend to examine; else as run takes it." placeholder:"NAME"`
}

// Run examines the machine; if something is missing, the exit code is 1.
func (c *doctorCommand) Run(ctx context.Context, s *streams) error {
	folder, err := experiments.Folder()
	if err != nil {
		return err
	}
	checks := doctor.Examine(ctx, doctor.Options{Backend: c.Backend, Results: folder})
	if err := doctor.Write(s.out, checks); err != nil {
		return err
	}
	var missing []string
	for _, check := range checks {
		if check.State == doctor.Missing {
			missing = append(missing, check.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing: %s", strings.Join(missing, ", "))
	}
	return nil
}
