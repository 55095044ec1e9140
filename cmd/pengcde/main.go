// Command pengcde runs the studies of the paper from a shell, finds their stored runs, and shows them.
//
//	pengcde list
//	pengcde run epidemics --profile medium --models peng-linear,constant --seeds 0-4 --dry-run
//	pengcde run epidemics --profile medium --models peng-linear,constant --seeds 0-4
//	pengcde run table1 --profile medium --jobs 2
//	pengcde show epidemics --profile medium
//	pengcde submit table1 --profile full --partition gpu --gpus 1 --time 12:00:00
//	pengcde status table1
//	pengcde cancel table1
//	pengcde fit --edges flows.csv --nodes cases.csv --target cases
//	pengcde forecast cases-forecast/model.pengcde --edges new_flows.csv --nodes new_cases.csv
//	pengcde results merge /mnt/cluster/results
//	pengcde results page --out page.md
//	pengcde report
//	pengcde results export table1 --profile medium --format parquet --out tables
//	pengcde results leaderboard tgnv2 --data datasets/tgbn_trade --out tgnv2.json
//	pengcde cite recommended dcrnn epidemics
//	pengcde init my-study
//	pengcde version
//	pengcde doctor
//	pengcde help run
//	source <(pengcde completion bash)
//
// What a run computes is stored in the folder that PENGCDE_RESULTS or --results names, where notebooks find it too.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/workers"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/slurm"
	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// commands defines the command line.
type commands struct {
	ResultsFolder string      `name:"results" help:"Folder of results, in place of $PENGCDE_RESULTS." placeholder:"FOLDER"`
	ShowVersion   versionFlag `name:"version" help:"Print the version of this program."`

	List     listCommand     `cmd:"" help:"List studies, models and data sets."`
	Run      runCommand      `cmd:"" help:"Make the runs of a study that are not stored yet."`
	Show     showCommand     `cmd:"" help:"Show the stored runs of a study."`
	Submit   submitCommand   `cmd:"" help:"Let a cluster of Slurm or Kubernetes make the missing runs of a study."`
	Status   statusCommand   `cmd:"" help:"Show queued, running, finished and failed runs of a study."`
	Cancel   cancelCommand   `cmd:"" help:"Cancel the Slurm jobs of a study."`
	Fit      fitCommand      `cmd:"" help:"Train on CSV or Parquet files of your own, and forecast."`
	Forecast forecastCommand `cmd:"" help:"Forecast from newer files with a model that fit wrote."`
	Report   reportCommand   `cmd:"" help:"Write one page on the paper's claims, tables and figures."`
	Results  resultsCommand  `cmd:"" help:"Ship, merge and export stored runs; write a page."`
	Cite     citeCommand     `cmd:"" help:"Print the BibTeX of what to cite for models and studies."`
	Init     initCommand     `cmd:"" help:"Make a folder for notebooks outside of a checkout."`
	Version  versionCommand  `cmd:"" help:"Print versions, backend and device."`
	Doctor   doctorCommand   `cmd:"" help:"List parts that are set up or missing, and how to get them."`
	Help     helpCommand     `cmd:"" help:"Print the help of a command, as --help does."`

	Completion completionCommand `cmd:"" help:"Print a script that completes commands in a shell."`
	Complete   completeCommand   `cmd:"" hidden:"" passthrough:""`
}

// Exit codes besides 0 and 1.
const (
	exitUsage       = 2   // also of a panic
	exitRuns        = 3   // all runs of a study are stored, some as errors
	exitInterrupted = 130 // the code that a shell gives after Ctrl-C
	exitTerminated  = 143 // the code that a shell gives after SIGTERM
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if workers.IsWorker() {
		signal.Ignore(os.Interrupt) // a shell also sends it to the parent process
		ends = ends[1:]
	}
	ctx := untilSignal(ends...)
	if !workers.IsWorker() {
		ctx = slurm.Context(ctx)
	}
	limited := func() bool { return errors.Is(context.Cause(ctx), slurm.ErrTimeLimit) }
	context.AfterFunc(ctx, func() {
		if limited() {
			time.Sleep(lastMinute) // longer than everything except compiling a program
			os.Exit(requeue(ctx))
		}
	})
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if code != 0 && limited() {
		code = requeue(ctx)
	}
	os.Exit(code)
}

// errTerminated is the cause with which a context of [untilSignal] ends after SIGTERM.
var errTerminated = errors.New("terminated")

// untilSignal returns a context that ends with the first of the signals. A second one ends the process at once.
func untilSignal(signals ...os.Signal) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	received := make(chan os.Signal, 1)
	signal.Notify(received, signals...)
	go func() {
		first := <-received
		signal.Stop(received)
		if first == syscall.SIGTERM {
			cancel(errTerminated)
		}
		cancel(nil)
	}()
	return ctx
}

// interruptedCode returns the exit code after the signal that ended a context of [untilSignal].
func interruptedCode(ctx context.Context) int {
	if errors.Is(context.Cause(ctx), errTerminated) {
		return exitTerminated
	}
	return exitInterrupted
}

// lastMinute is the time that a Slurm task has to store its work when its time limit is near.
const lastMinute = time.Minute

// requeue requeues this Slurm task, unless it would make no progress, and returns its exit code.
func requeue(ctx context.Context) int {
	err, code := slurm.Requeue(context.WithoutCancel(ctx)), 1
	if !errors.Is(err, slurm.ErrTooShort) {
		code = slurm.ExitRequeue
		fmt.Fprintln(os.Stderr, "pengcde: the time limit is near; the task goes on from here when it runs again")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, errs.In("pengcde", err))
	}
	return code
}

// helpCommand stands for --help after the words that follow it; execute replaces it.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"As pengcde --help lists them."`
}

// names returns names and texts of the help that flags refer to.
func names() kong.Vars {
	return kong.Vars{
		"model": "auto, which chooses; peng-cde; dcrnn; or a field: " + strings.Join(field.Names(), ", ") +
			". See docs/which-model.md.",
		"edges": "Edges, a row for each time, source and destination: .csv, .tsv (both also .gz, .zst) or .parquet.",
		"target": "The column of --nodes to forecast; repeat for more, which one model forecasts. Its last values are " +
			"features.",
		"edge_feature": "A column of numbers of --edges, such as --weight: its sums over the edges from a node and to it " +
			"are two features of the node; repeat for more.",
		"category": "A column of --nodes with texts, such as the kind of a place: each is a feature; repeat for more.",
		"presence": "rows: a node is there at times with a row of it in --nodes; seen: from its first row or edge on; or a " +
			"column of --nodes with 1 and 0; else all nodes are always there.",
		"first": "The first snapshot ahead to forecast; --first 4 --horizon 4 forecasts the fourth alone.",
		"scale": "log1p: learn the logarithm of 1 + target, which must be 0 or more, such as counts; forecasts are in the " +
			"unit of the file and never negative, and squared errors, which choose the model, count ratios.",
		"profile": "quick, medium or full; else $PENGCDE_PROFILE, else quick, for show the one with most runs, for " +
			"status the one under way.",
		"only": "Values of a key, as list names them; repeat for more values or keys.",
		"data": "A file of your own, in the JSON of england_covid, beside the study's data, or for node-affinity a folder or zip " +
			"of TGB's files; repeat for more.",
		"backend":      "go, xla:cpu, xla:cuda or xla:/path/to/plugin.so; else $PENGCDE_BACKEND, else the best.",
		"budget":       "The most time for all trainings, such as 90s or 5m; else 5m with auto, else any.",
		"search":       "Also try a wider and a deeper model and a higher learning rate; validation windows choose.",
		"graph":        "Say what the graph is worth: also train without edges and with shuffled ones. auto does it.",
		"weight":       "Column of --edges, - where each row counts 1; else weight, value, amount or count.",
		"empty_weight": "drop, zero or error: what becomes of rows of --edges without a weight; else error.",
		"duplicate": "mean, sum, last or error: what several values of a node at one time (with --step: in one step) " +
			"become; else error, with --step mean.",
		"separator": "What separates cells of text: , ; | or tab; else tabs in .tsv, in .csv semicolons if the first " +
			"line has one and no comma, else commas.",
		"decimal": ". or , in numbers; else points, or what numbers of a file separated by semicolons show.",
		"date_format": "MM/DD/YYYY, \"DD.MM.YYYY hh:mm\" and the like, with ss and AM where dates have them; else dates " +
			"as 2020-03-31.",
	}
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr *os.File) int {
	var c commands
	exited := -1
	parser := kong.Must(&c, kong.Name("pengcde"),
		kong.Description("Learn on graphs that change in time: studies of the paper, and your own data."),
		names(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }))
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help or --version
		return exited
	}
	group, unfinished := groupOf(err)
	switch {
	case unfinished:
		return execute(ctx, append(group, "--help"), stdout, stderr)
	case err != nil:
		fmt.Fprintln(stderr, "pengcde:", mistake(err))
		return exitUsage
	case parsed.Selected().Name == "help":
		return execute(ctx, append(c.Help.Command, "--help"), stdout, stderr)
	}
	if c.ResultsFolder != "" {
		if err := os.Setenv(experiments.ResultsEnv, c.ResultsFolder); err != nil {
			fmt.Fprintln(stderr, "pengcde:", err)
			return exitUsage
		}
	}
	if workers.IsWorker() {
		return c.Run.work(ctx)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(&streams{stdout, stderr}, arguments(args))
	switch {
	case err == nil:
		return 0
	case experiments.Interrupted(err):
		fmt.Fprintln(stderr, "pengcde: interrupted; the same command goes on from here")
		return interruptedCode(ctx)
	}
	fmt.Fprintln(stderr, errs.In("pengcde", err))
	switch {
	case errors.Is(err, experiments.ErrInput):
		return exitUsage
	case errors.Is(err, experiments.ErrRuns):
		return exitRuns
	}
	return 1
}

// arguments holds a whole command line without the program.
type arguments []string

// streams holds the files that a command writes to.
type streams struct{ out, err *os.File }
