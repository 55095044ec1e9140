package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gomlx/compute/support/humanize"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/store"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/slurm"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/xla"
)

// usualTasks is the default size of an array, if there are enough runs to train.
const usualTasks = 16

type submitCommand struct {
	choice
	Partition       string        `help:"Of the cluster; else its default." placeholder:"NAME"`
	GPUs            string        `name:"gpus" help:"GPUs of a task, as in 1 or a100:1, of which it uses one; without it tasks compute on CPUs." placeholder:"N"`
	CPUs            int           `name:"cpus" help:"CPUs of a task; else the cluster's default." placeholder:"N"`
	Memory          string        `help:"Memory of a task, as in 8G; else the cluster's default." placeholder:"SIZE"`
	Time            string        `help:"Time limit of a task: 90 (minutes), 4:00:00, 2-0 (days-hours). Unfinished work is queued again." placeholder:"LIMIT"`
	ArraySize       *int          `help:"Tasks that share the runs; else one for each program that trains, at most 16." placeholder:"N"`
	Sbatch          []string      `help:"An option of sbatch's own, as in --sbatch=--account=NAME; repeat for more." placeholder:"OPTION" sep:"none"`
	Retry           bool          `help:"Retry runs that failed."`
	Stale           bool          `help:"Replace runs of which only another generation is stored."`
	SeedsTogether   bool          `help:"Train the seeds of a model in one program; on a GPU that is always so."`
	Jobs            int           `short:"j" help:"Processes of a task that make runs; 0 for one a core." default:"1"`
	CheckpointEvery time.Duration `help:"Time between checkpoints of a training." default:"30s"`
	DryRun          bool          `help:"Print script and cost, and submit nothing."`
	Backend         string        `help:"As for run; else $$PENGCDE_BACKEND, or xla:cuda with --gpus." placeholder:"NAME"`
	kubernetesFlags

	retryBefore time.Time // of tasks, with Retry, so that they repeat no failure of each other
}

// Run submits an array job, or prints the manifest of one, whose tasks take runs until none is left.
func (c *submitCommand) Run(ctx context.Context, s *streams) error {
	if err := checkInterval(c.CheckpointEvery); err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	report, o, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	c.Profile = string(report.Profile)
	if c.Retry {
		c.retryBefore = store.In(report.Folder(), c.Study, nil).Now()
	}
	o.Retry, o.Stale, o.SeedsTogether = c.Retry, c.Stale, c.SeedsTogether
	estimate, err := report.Study.Estimate(ctx, o)
	if err != nil {
		return err
	}
	tasks := max(1, min(estimate.Programs, usualTasks))
	if c.ArraySize != nil {
		tasks = *c.ArraySize
	}
	record := slurm.NewSubmission(c.Study, c.choice, c.Backend, tasks)
	plans, err := report.Study.PlanMemory(ctx, o)
	if err != nil {
		return err
	}
	cost := c.cost(estimate, plans, tasks)
	if c.Kubernetes {
		bytes, err := report.Study.Memory(ctx, o, c.processes())
		if err != nil {
			return err
		}
		return c.manifest(s, record, cost, bytes, estimate)
	}
	folder, err := slurmFolder(c.Study)
	if err != nil {
		return err
	}
	script, err := c.script(record.Path(folder), record)
	if err != nil {
		return err
	}
	fmt.Fprint(s.err, wrapped(cost, usualWidth))
	if c.DryRun {
		_, err := fmt.Fprint(s.out, script)
		return err
	}
	if estimate.Missing == 0 {
		return nil
	}
	if err := record.Submit(ctx, folder, script); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "job %s submitted, array size %d\n\n  pengcde status %s\n  pengcde cancel %[3]s\n",
		record.Job, tasks, c.Study)
	return err
}

// settle makes explicit the settings that tasks would otherwise take from the place where they run.
func (c *submitCommand) settle() (err error) {
	for i, path := range c.Data {
		if c.Data[i], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	if err := c.checkKubernetes(); err != nil {
		return err
	}
	if c.Jobs < 0 {
		return errs.New(experiments.ErrInput, "submit: %d jobs, want 1 or more, or 0 for one a CPU", c.Jobs)
	}
	if c.GPUs == "0" {
		c.GPUs = ""
	}
	if err := chooseBackend(c.Backend); err != nil {
		return err
	}
	c.Backend = cmp.Or(c.Backend, os.Getenv(xla.BackendEnv))
	if c.Backend == "" && c.GPUs != "" { // the submitting machine may have no GPU
		c.Backend = "xla:cuda"
		return os.Setenv(xla.BackendEnv, c.Backend)
	}
	return nil
}

// script returns the script of a job whose tasks make the missing runs.
func (c *submitCommand) script(path string, record submission) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	results := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	command := append([]string{program, "--results", results}, c.runArguments()...)
	script, err := slurm.Job{Name: record.Name, Command: command, Folder: here, Log: path, Tasks: record.Tasks,
		Partition: c.Partition, GPUs: c.GPUs, CPUs: c.CPUs, Memory: c.Memory, Time: c.Time, Options: c.Sbatch}.Script()
	if err != nil {
		return "", errs.In("submit", err, experiments.ErrInput)
	}
	return script, nil
}

// runArguments returns the command of a task, without the program.
func (c *submitCommand) runArguments() []string {
	command := append([]string{"run"}, c.arguments()...)
	if c.Retry {
		command = append(command, "--retry-before", c.retryBefore.UTC().Format(time.RFC3339Nano))
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"--stale", c.Stale}, {"--seeds-together", c.SeedsTogether}} {
		if flag.set {
			command = append(command, flag.name)
		}
	}
	command = append(command, fmt.Sprintf("--jobs=%d", c.Jobs))
	if c.Backend != "" {
		command = append(command, "--backend", c.Backend)
	}
	return append(command, "--checkpoint-every", c.CheckpointEvery.String())
}

// cost describes how many runs are missing and the cost of making them, from stored runs and plans.
func (c *submitCommand) cost(e experiments.Estimate, plans map[string]*pengcde.Plan, tasks int) string {
	text := fmt.Sprintf("%s, profile %s: %v.", c.Study, c.Profile, e)
	if e.Missing == 0 {
		return text
	}
	if e.PeakBytes > 0 {
		text += fmt.Sprintf(" A process took up to %s of memory for stored runs of these models.",
			humanize.Bytes(e.PeakBytes))
	}
	if ids := slices.Sorted(maps.Keys(plans)); len(ids) > 0 {
		most := slices.MaxFunc(ids, func(a, b string) int { return cmp.Compare(plans[a].DeviceBytes, plans[b].DeviceBytes) })
		text += fmt.Sprintf(" By plan training takes at most %s on the device and %s on the host (%s), beside the program "+
			"and its compiler.", humanize.Bytes(plans[most].DeviceBytes), humanize.Bytes(plans[most].HostBytes), most)
	} else if e.Trained > 0 && e.PeakBytes == 0 {
		text += " How much memory a run takes is not known."
	}
	if e.Estimated > 0 && tasks > 1 {
		text += fmt.Sprintf(" %d tasks share the time, where as many run at once.", tasks)
	}
	return text
}
