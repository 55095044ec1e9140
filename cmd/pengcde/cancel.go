package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/slurm"
)

type cancelCommand struct {
	Study string `arg:"" help:"As pengcde list names it."`
}

// Run cancels the jobs of the study that this user submitted to the results folder.
func (c *cancelCommand) Run(ctx context.Context, s *streams) error {
	if _, err := paper.ByName(c.Study); err != nil {
		return err
	}
	submitted, err := submissions(c.Study, s.err)
	if err != nil {
		return err
	}
	tasks, err := slurm.Queue(ctx, slurm.JobNames(submitted), true)
	if err != nil {
		return err
	}
	var jobs []string
	for _, t := range tasks {
		if !t.Ended() && !slices.Contains(jobs, t.Job) {
			jobs = append(jobs, t.Job)
		}
	}
	if len(jobs) == 0 {
		_, err := fmt.Fprintf(s.out, "no job of %s waits or runs\n", c.Study)
		return err
	}
	if err := slurm.Cancel(ctx, jobs); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "cancelled: %s; stored runs stay, and trainings keep a checkpoint\n",
		strings.Join(jobs, ", "))
	return err
}
