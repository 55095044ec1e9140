package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/kubernetes"
	"github.com/peng-cde/pengcde-go/internal/progress"
	"github.com/peng-cde/pengcde-go/internal/slurm"
	"github.com/peng-cde/pengcde-go/internal/starter"
	"github.com/peng-cde/pengcde-go/xla"
)

// choice holds the arguments that select runs.
type choice struct {
	Study   string     `arg:"" help:"As pengcde list names it."`
	Profile string     `help:"${profile}" placeholder:"NAME"`
	Models  modelNames `help:"Some models, as pengcde list names them; all without it." placeholder:"A,B"`
	Only    only       `help:"${only}" placeholder:"split=random,rolling-origin"`
	Seeds   seeds      `json:",omitzero" help:"Seeds, as in 0-4 or 0,2,7, in place of the profile's." placeholder:"RANGE"`
	Data    []string   `help:"${data}" placeholder:"FILE" sep:"none"`
	Fresh   bool       `help:"Leave out the runs that came with the module."`
}

// dataArguments returns the arguments that name these files again.
func dataArguments(paths []string) (text string) {
	for _, path := range paths {
		text += " --data " + starter.Quote(path)
	}
	return text
}

// options converts the arguments to options.
func (c choice) options() experiments.Options {
	return experiments.Options{Profile: experiments.Profile(c.Profile), Models: c.Models, Only: c.Only, Seeds: c.Seeds,
		Data: c.Data, Fresh: c.Fresh}
}

// stored finds the stored runs of the choice; it returns an error for names that do not exist.
func (c choice) stored(ctx context.Context, s *streams) (*experiments.Report, experiments.Options, error) {
	o := c.options()
	study, err := paper.ByName(c.Study)
	if err == nil {
		err = checkBackend("") // which runs are counted depends on it
	}
	if err != nil {
		return nil, o, err
	}
	var bar *progress.Bar // set while data are read
	o.Progress = func(fraction float64, _ time.Duration, text string) {
		if bar == nil {
			bar = newBar("reading", s.err)
		}
		bar.Update(fraction, text)
	}
	report, err := study.Stored(ctx, o)
	o.Progress = nil
	switch {
	case bar != nil && err != nil:
		bar.Stop("")
	case bar != nil:
		bar.Done("")
	}
	return report, o, err
}

// modelNames is a list of models, given as names with commas between them.
type modelNames []string

// Decode adds the names of a text such as "peng,dcrnn".
func (m *modelNames) Decode(ctx *kong.DecodeContext) error {
	var text string
	if err := ctx.Scan.PopValueInto("models", &text); err != nil {
		return err
	}
	names := strings.Split(text, ",")
	if slices.Contains(names, "") {
		return fmt.Errorf("%q, want names with commas between them, or no --models for all", text)
	}
	*m = append(*m, names...)
	return nil
}

// seeds is a list of seeds, given as numbers and ranges.
type seeds []uint64

// only holds values of keys. A key that is given again has more values.
type only map[string][]string

// Decode adds a text such as "split=random,rolling-origin".
func (o only) Decode(ctx *kong.DecodeContext) error {
	var text string
	if err := ctx.Scan.PopValueInto("key", &text); err != nil {
		return err
	}
	key, values, ok := strings.Cut(text, "=")
	if !ok || key == "" || values == "" {
		return fmt.Errorf("%q, want a key with its values, such as split=random,rolling-origin", text)
	}
	o[key] = append(o[key], strings.Split(values, ",")...)
	return nil
}

// maxSeeds bounds a range, because a longer one is probably a typing mistake.
const maxSeeds = 10_000

// UnmarshalText parses a text such as "0-4,7".
func (s *seeds) UnmarshalText(text []byte) error {
	*s = nil
	var read seeds
	for part := range strings.SplitSeq(string(text), ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 64)
		last, err2 := strconv.ParseUint(to, 10, 64)
		if err != nil || err2 != nil || last < first || last-first >= maxSeeds {
			return fmt.Errorf("seeds %q, want numbers and ranges such as 0-4,7", text)
		}
		for i := range last - first + 1 { // last may be the largest number
			read = append(read, first+i)
		}
	}
	*s = read
	return nil
}

type runCommand struct {
	choice
	Retry           bool          `help:"Retry runs that failed."`
	RetryBefore     time.Time     `help:"Retry runs that failed before this time." placeholder:"2026-03-31T12:00:00Z"`
	Stale           bool          `help:"Replace runs of which only another generation is stored."`
	SeedsTogether   bool          `help:"Train the seeds of a model in one program; on a GPU that is always so."`
	CheckpointEvery time.Duration `help:"Time between checkpoints of a training." default:"30s"`
	Jobs            int           `short:"j" help:"Processes that make runs; 0 for one a core." default:"0"`
	DryRun          bool          `help:"Say by model which runs are missing and about how long they take; make none."`
	Backend         string        `help:"${backend}" placeholder:"NAME"`
}

// Run makes the missing runs and prints their table.
func (c *runCommand) Run(ctx context.Context, s *streams, args arguments) error {
	if err := checkInterval(c.CheckpointEvery); err != nil {
		return err
	}
	if err := chooseBackend(c.Backend); err != nil {
		return err
	}
	report, o, err := c.stored(ctx, s)
	if err != nil {
		return err
	}
	c.complete(&o)
	estimate, err := report.Study.Estimate(ctx, o)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s, profile %s: %v.", c.Study, report.Profile, estimate)
	share, err := report.Study.Share(ctx, o)
	if err != nil {
		return err
	}
	if share.Asked > 1 && estimate.Missing > 0 {
		said += fmt.Sprintf("\n\n%v.", share)
		if share.Jobs > 1 && estimate.Estimated > 0 {
			said += fmt.Sprintf(" They share that time: %s at best.",
				progress.Duration(time.Duration(estimate.Seconds/float64(share.Jobs)*float64(time.Second))))
		}
	}
	said = wrapped(said, usualWidth)
	if c.DryRun {
		table, err := estimate.Table().Text(usualWidth)
		if err == nil {
			_, err = fmt.Fprintf(s.out, "%s\n%s", said, table)
		}
		return err
	}
	fmt.Fprint(s.err, said)
	bar := newBar(c.Study, s.err)
	o.Progress, o.Jobs, o.Advanced = bar.Show, share.Jobs, func() { slurm.Advance(ctx) }
	if share.Asked > 1 || slurm.Inside() || kubernetes.Inside() { // a task keeps to its CPUs, and memory may run out
		o.Cores = share.Cores
	}
	o.Worker = func() *exec.Cmd { return workerCommand(args, s.err) }
	o.Notice = func(text string) { fmt.Fprint(s.err, "\n"+wrapped(text, widthOf(s.err))) }
	report, err = report.Study.Run(ctx, o)
	err = byFlag(c.Backend, err)
	if report == nil {
		bar.Stop("stopped")
		return err
	}
	if err != nil {
		bar.Stop(counted(report))
	} else {
		bar.Done(counted(report))
	}
	return cmp.Or(show(s.out, report), err)
}

// checkInterval returns an error for a time between checkpoints that is none.
func checkInterval(every time.Duration) error {
	if every <= 0 {
		return errs.New(experiments.ErrInput, "--checkpoint-every %v, want a positive time such as 30s", every)
	}
	return nil
}

// chooseBackend makes --backend the backend of this process and its workers.
func chooseBackend(backend string) error {
	if err := checkBackend(backend); err != nil || backend == "" {
		return err
	}
	return os.Setenv(xla.BackendEnv, backend)
}

// checkBackend returns an error for a backend of --backend, else of the environment, that is not understood.
func checkBackend(backend string) error {
	if _, err := xla.Expect(xla.Config{Backend: backend}); err != nil {
		return errs.New(experiments.ErrInput, "%w", byFlag(backend, err))
	}
	return nil
}

// complete adds to the options how runs are made.
func (c *runCommand) complete(o *experiments.Options) {
	o.Retry, o.RetryBefore, o.Stale, o.SeedsTogether = c.Retry, c.RetryBefore, c.Stale, c.SeedsTogether
	o.CheckpointEvery, o.Jobs = c.CheckpointEvery, c.Jobs
}

// counted describes how many runs are stored.
func counted(r *experiments.Report) string {
	stored, planned := r.Count()
	text := fmt.Sprintf("%d of %d runs stored", stored, planned)
	if stale := r.Results.Stale(); stale > 0 {
		text += fmt.Sprintf(", %d stale", stale)
	}
	return text
}
