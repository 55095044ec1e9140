package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/slurm"
)

type statusCommand struct{ choice }

// Run says where the runs are that were chosen, else those of the newest job.
func (c *statusCommand) Run(ctx context.Context, s *streams) error {
	if _, err := paper.ByName(c.Study); err != nil {
		return err
	}
	submitted, err := submissions(c.Study)
	if err != nil {
		return err
	}
	if c.isAll() && len(submitted) > 0 {
		c.choice = submitted[len(submitted)-1].Choice
	}
	report, o, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	claims, err := report.Study.UnderWay(ctx, o)
	if err != nil {
		return err
	}
	tasks, err := slurm.Queue(ctx, jobNames(submitted), false)
	if err != nil { // as where results are read that a cluster made
		tasks, err = nil, fmt.Errorf("which tasks wait or run is not known: %w", err)
	}
	w := statusPage{out: s.out}
	w.stored(report)
	w.running(claims, tasks)
	w.waiting(tasks)
	stored, planned := report.Count()
	idle := !slices.ContainsFunc(tasks, func(t slurm.Task) bool { return !t.Ended() })
	if len(submitted) == 0 || err != nil {
		return err
	}
	if idle && stored < planned {
		fmt.Fprintf(s.out, "no task waits or runs; for the rest: pengcde submit %s\n", shell(c.arguments()))
	}
	folder, err := slurmFolder(c.Study)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "scripts and logs: %s\n", folder)
	}
	return err
}

// isAll says that nothing but the study was chosen.
func (c choice) isAll() bool {
	return c.Profile == "" && c.Models == nil && c.Only == nil && c.Seeds == nil && c.Data == nil && !c.Fresh
}
