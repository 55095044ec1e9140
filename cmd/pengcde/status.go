package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/peng-cde/pengcde-go/experiments"
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
	report, _, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	writeStored(s.out, report)
	tasks, err := slurm.Queue(ctx, jobNames(submitted), false)
	if err != nil {
		return err
	}
	if err := writeTasks(s.out, tasks); err != nil {
		return err
	}
	stored, planned := report.Count()
	waiting := slices.ContainsFunc(tasks, func(t slurm.Task) bool { return !t.Ended() })
	if len(submitted) > 0 && !waiting && stored < planned {
		fmt.Fprintf(s.out, "\nno task waits or runs; the rest: pengcde submit %s\n", shell(c.arguments()))
	}
	if len(submitted) > 0 {
		folder, err := slurmFolder(c.Study)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "\nScripts and logs: %s\n", folder)
	}
	return nil
}

// isAll says that nothing but the study was chosen.
func (c choice) isAll() bool {
	return c.Profile == "" && c.Models == nil && c.Only == nil && c.Seeds == nil && c.Data == nil && !c.Fresh
}

// writeStored says how many runs are done, and which failed and why.
func writeStored(w io.Writer, r *experiments.Report) {
	failed := make(map[string][]string) // runs by reason
	var reasons []string
	for _, result := range r.Results {
		if result.Record == nil || result.Record.Error == "" {
			continue
		}
		reason := result.Record.Error
		if failed[reason] == nil {
			reasons = append(reasons, reason)
		}
		failed[reason] = append(failed[reason], result.Run.String())
	}
	text := fmt.Sprintf("%s, profile %s: %s", r.Study.Name, r.Profile, counted(r))
	for _, reason := range reasons {
		text += fmt.Sprintf("\n\nfailed, %s: %s", list(failed[reason]), reason)
	}
	fmt.Fprint(w, wrapped(text, usualWidth))
}

// list is the first of several names, and how many more there are.
func list(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
}

// writeTasks prints a line for each task that runs, by node, and for each that failed, and counts the others.
func writeTasks(out io.Writer, tasks []slurm.Task) error {
	phases := make(map[slurm.Phase][]slurm.Task)
	for _, t := range tasks {
		phases[t.Phase()] = append(phases[t.Phase()], t)
	}
	if rows := slices.Concat(phases[slurm.Running], phases[slurm.Failed]); len(rows) > 0 {
		slices.SortStableFunc(rows, func(a, b slurm.Task) int {
			return cmp.Or(cmp.Compare(a.Phase(), b.Phase()), cmp.Compare(a.Node, b.Node))
		})
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\nnode\ttask\tstate\ttime left")
		for _, t := range rows {
			last := t.Left
			if t.Phase() == slurm.Failed {
				last = t.Reason
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", cmp.Or(t.Node, "-"), t.ID(), strings.ToLower(t.State), last)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	var counts []string
	if queued := phases[slurm.Queued]; len(queued) > 0 {
		reasons := make(map[string]int)
		for _, t := range queued {
			reasons[t.Reason]++
		}
		var why []string
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			why = append(why, fmt.Sprintf("%s %d", reason, reasons[reason]))
		}
		counts = append(counts, fmt.Sprintf("%d queued (%s)", len(queued), strings.Join(why, ", ")))
	}
	for _, ended := range []struct {
		phase slurm.Phase
		word  string
	}{{slurm.Completed, "done"}, {slurm.Cancelled, "cancelled"}} {
		if n := len(phases[ended.phase]); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, ended.word))
		}
	}
	if len(counts) > 0 {
		fmt.Fprintf(out, "\ntasks: %s\n", strings.Join(counts, ", "))
	}
	return nil
}
