package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/slurm"
	"github.com/peng-cde/pengcde-go/xla"
)

type statusCommand struct{ choice }

// Run shows the state of the selected runs, else of the runs of the newest job, else of the profile with runs under
// way.
func (c *statusCommand) Run(ctx context.Context, s *streams) error {
	if _, err := paper.ByName(c.Study); err != nil {
		return err
	}
	submitted, err := submissions(c.Study, s.err)
	if err != nil {
		return err
	}
	var backend []string // of the newest job, if its runs are shown
	if c.isAll() && len(submitted) > 0 {
		newest := submitted[len(submitted)-1]
		c.choice = newest.Choice
		if newest.Backend != "" { // its missing runs count
			backend = []string{"--backend", newest.Backend}
			if err := os.Setenv(xla.BackendEnv, newest.Backend); err != nil {
				return err
			}
		}
	}
	report, o, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	active, err := report.Study.UnderWay(ctx, o)
	if err != nil {
		return err
	}
	if c.Profile == "" && os.Getenv(experiments.ProfileEnv) == "" && len(active) == 0 {
		if report, o, active, err = busiest(ctx, report, o); err != nil {
			return err
		}
	}
	c.Profile = string(report.Profile)
	estimate, err := report.Study.Estimate(ctx, o)
	if err != nil {
		return err
	}
	tasks, err := slurm.Queue(ctx, slurm.JobNames(submitted), false)
	if err != nil { // as when a cluster's results are read elsewhere
		tasks, err = nil, fmt.Errorf("which tasks wait or run is not known: %w", err)
	}
	w := statusPage{out: s.out}
	w.stored(report, estimate.Missing)
	w.running(active, tasks)
	w.waiting(tasks)
	idle := !slices.ContainsFunc(tasks, func(t slurm.Task) bool { return !t.Ended() })
	if len(submitted) == 0 || err != nil {
		return err
	}
	if idle && estimate.Missing > 0 {
		fmt.Fprintf(s.out, "no task waits or runs; for the rest: pengcde submit %s, with partition, GPUs and time as before\n",
			shell(append(c.arguments(), backend...)))
	}
	folder, err := slurmFolder(c.Study)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "scripts and logs: %s\n", folder)
	}
	return err
}

// busiest returns the report of a profile that has runs under way, with these runs, else of the profile with the most
// stored runs.
func busiest(ctx context.Context, r *experiments.Report, o experiments.Options) (*experiments.Report,
	experiments.Options, []experiments.ActiveRun, error) {
	for _, p := range experiments.Profiles() {
		other := o
		other.Profile = p
		active, err := r.Study.UnderWay(ctx, other)
		if errors.Is(err, experiments.ErrInput) { // it has no such models or keys
			continue
		}
		if err != nil {
			return r, o, nil, err
		}
		if len(active) > 0 {
			r, err = r.Study.Stored(ctx, other)
			return r, other, active, err
		}
	}
	r, o, err := fullest(ctx, r, o)
	return r, o, nil, err
}

// isAll reports whether only the study was selected.
func (c choice) isAll() bool {
	return c.Profile == "" && c.Models == nil && c.Only == nil && c.Seeds == nil && c.Data == nil && !c.Fresh
}
