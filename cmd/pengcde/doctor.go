package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/xla"
)

type versionCommand struct{}

// Run prints versions, backend and device.
func (versionCommand) Run(_ context.Context, s *streams) error {
	versions := doctor.Versions()
	for _, name := range []string{programName, "revision", "go", "gomlx", "compute", "go-xla", "gonum"} {
		if v := versions[name]; v != "" {
			fmt.Fprint(s.out, versionLine(name, v))
		}
	}
	backend, err := xla.Open(xla.Config{Notices: s.err})
	if err != nil {
		return err
	}
	defer backend.Close()
	lines := plain.Wrap(backend.String(), usualWidth-versionIndent)
	_, err = fmt.Fprint(s.out, versionLine("backend", strings.Join(lines, "\n"+strings.Repeat(" ", versionIndent))))
	return err
}

// programName names the version of this module among those that [doctor.Versions] returns.
const programName = "pengcde-go"

// versionIndent is the width of the names of versions.
const versionIndent = 12

func versionLine(name, version string) string {
	return fmt.Sprintf("%-*s%s\n", versionIndent, name, version)
}

// versionFlag prints the first line of the version command, and opens no backend.
type versionFlag bool

// BeforeReset prints it before arguments are checked.
func (versionFlag) BeforeReset(program *kong.Kong) error {
	_, err := fmt.Fprint(program.Stdout, versionLine(programName, doctor.Versions()[programName]))
	program.Exit(0)
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
