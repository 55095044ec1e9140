package slurm

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Task is a task of an array job.
type Task struct {
	// Job is the job's number, Index the task's number in it, Name the job's name.
	Job, Index, Name string
	// State, Node, Left and Reason are Slurm's: the state, such as RUNNING, the node, the time left until the time
	// limit, and why the task waits or has failed.
	State, Node, Left, Reason string
}

// ID returns the task's name in Slurm's commands, such as 812_3.
func (t Task) ID() string { return t.Job + "_" + t.Index }

// Phase is the phase of a task: waiting, running or ended.
type Phase int

// The phases of a task.
const (
	Queued Phase = iota
	Running
	Completed
	Cancelled
	Failed
)

// Phase returns the phase of the task's state. An unknown state comes from a later version of Slurm and counts as
// Running, since in almost all states a task has not ended.
func (t Task) Phase() Phase {
	switch t.State {
	case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD":
		return Queued
	case "COMPLETED":
		return Completed
	case "CANCELLED", "REVOKED":
		return Cancelled
	case "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED", "LAUNCH_FAILED",
		"RECONFIG_FAIL":
		return Failed
	}
	return Running
}

// Ended reports whether Slurm will not run the task again.
func (t Task) Ended() bool { return t.Phase() >= Completed }

// fields are the columns asked of squeue, in the order of the fields of [Task]. The name is last, since names of other
// users' jobs may contain tabs.
const fields = "%F\t%K\t%T\t%N\t%L\t%r\t%j"

// Queue returns the tasks of the jobs with these names that Slurm knows: tasks that wait or run, and for some minutes
// (the cluster's MinJobAge) tasks that have ended. Other users' tasks are among them unless own is set.
func Queue(ctx context.Context, names []string, own bool) (tasks []Task, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	args := []string{"--noheader", "--array", "--states=all", "--format=" + fields, "--name=" + strings.Join(names, ",")}
	if own {
		args = append(args, "--me")
	}
	printed, err := call(ctx, "squeue", args...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(printed) {
		line = strings.TrimRight(line, "\r\n")
		parts := strings.SplitN(line, "\t", strings.Count(fields, "\t")+1)
		if len(parts) != strings.Count(fields, "\t")+1 {
			return nil, fmt.Errorf("slurm: squeue prints %q, want %d fields between tabs", line, strings.Count(fields, "\t")+1)
		}
		t := Task{Job: parts[0], Index: parts[1], State: parts[2], Node: parts[3], Left: parts[4], Reason: parts[5],
			Name: parts[6]}
		if slices.Contains(names, t.Name) {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

// Cancel ends jobs: waiting tasks leave the queue, and running tasks get a signal.
func Cancel(ctx context.Context, jobs []string) error {
	if len(jobs) == 0 {
		return nil
	}
	_, err := call(ctx, "scancel", jobs...)
	return err
}
