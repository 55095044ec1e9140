package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/internal/progress"
	"github.com/peng-cde/pengcde-go/internal/slurm"
)

// statusPage prints the output of status, part by part.
type statusPage struct{ out io.Writer }

// line prints a line, or several lines that are indented after the first.
func (p statusPage) line(indent int, format string, args ...any) {
	space := strings.Repeat(" ", indent)
	lines := plain.Wrap(fmt.Sprintf(format, args...), usualWidth-indent-2)
	fmt.Fprintln(p.out, space+strings.Join(lines, "\n"+space+"  "))
}

// stored prints how many runs are done and missing, and which could not be made and why.
func (p statusPage) stored(r *experiments.Report, missing int) {
	p.line(0, "%s, profile %s: %s, %d to make", r.Study.Name, r.Profile, counted(r), missing)
	failed := make(map[string][]experiments.Run) // by reason
	for _, result := range r.Results {
		if result.Record != nil && result.Record.Error != "" {
			failed[result.Record.Error] = append(failed[result.Record.Error], result.Run)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(failed)) {
		runs, more := failed[reason], ""
		if len(runs) > 1 {
			more = fmt.Sprintf(" and %d more", len(runs)-1)
		}
		p.line(0, "run failed: %v%s: %s", runs[0], more, reason)
	}
}

// running lists, by node, the running tasks and the run that each makes, then the runs of other processes.
func (p statusPage) running(runs []experiments.ActiveRun, tasks []slurm.Task) {
	tasks = slices.DeleteFunc(slices.Clone(tasks), func(t slurm.Task) bool { return t.Phase() != slurm.Running })
	slices.SortStableFunc(tasks, func(a, b slurm.Task) int { return cmp.Compare(a.Node, b.Node) })
	for _, t := range tasks {
		p.line(0, "%s: task %s %s, time limit in %s", t.Node, t.ID(), strings.ToLower(t.State), strings.ToLower(t.Left))
		runs = slices.DeleteFunc(runs, func(c experiments.ActiveRun) bool {
			mine := c.Job == t.Job && c.Task == t.Index
			if mine {
				p.active(c)
			}
			return mine
		})
	}
	slices.SortStableFunc(runs, func(a, b experiments.ActiveRun) int { return cmp.Compare(a.Host, b.Host) })
	for i, c := range runs {
		if i == 0 || c.Host != runs[i-1].Host {
			p.line(0, "%s:", cmp.Or(c.Host, "a machine without a name"))
		}
		p.active(c)
	}
}

// silence is longer than the longest time for which a live process does not write its lease.
const silence = 2 * time.Minute

func (p statusPage) active(c experiments.ActiveRun) {
	text := c.Run.String()
	if c.At.Text != "" {
		text += ": " + c.At.Text
	}
	if c.At.Left > 0 {
		text += fmt.Sprintf(", about %s left", progress.Duration(time.Duration(c.At.Left*float64(time.Second))))
	}
	if c.Silent > silence {
		text += fmt.Sprintf("; nothing heard of it for %s", progress.Duration(c.Silent))
	}
	p.line(2, "%s", text)
}

// waiting lists the failed tasks, and counts the waiting ones with their reasons and the finished ones.
func (p statusPage) waiting(tasks []slurm.Task) {
	why, ended := make(map[string]int), make(map[slurm.Phase]int)
	for _, t := range tasks {
		switch t.Phase() {
		case slurm.Failed:
			p.line(0, "task failed: %s on %s, %s, %s", t.ID(), cmp.Or(t.Node, "no node"), strings.ToLower(t.State), t.Reason)
		case slurm.Queued:
			why[t.Reason]++
		}
		ended[t.Phase()]++
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		p.line(0, "tasks queued: %d, %s", why[reason], reason)
	}
	for _, phase := range []slurm.Phase{slurm.Completed, slurm.Cancelled} {
		if ended[phase] > 0 {
			p.line(0, "tasks %s: %d", map[slurm.Phase]string{slurm.Completed: "done", slurm.Cancelled: "cancelled"}[phase],
				ended[phase])
		}
	}
}
