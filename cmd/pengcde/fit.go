package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/forecast"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/internal/starter"
	"github.com/peng-cde/pengcde-go/xla"
)

type fitCommand struct {
	Edges  string   `help:"${edges}" required:"" placeholder:"FILE"`
	Nodes  string   `help:"Values of nodes, a row for each time and node, in the same formats." required:"" placeholder:"FILE"`
	Target []string `help:"${target}" required:"" sep:"none" placeholder:"COLUMN"`

	Feature      []string           `help:"Another column of --nodes that is a feature; repeat for more." sep:"none" placeholder:"COLUMN"`
	EdgeFeature  []string           `help:"${edge_feature}" sep:"none" placeholder:"COLUMN"`
	Category     []string           `help:"${category}" sep:"none" placeholder:"COLUMN"`
	Presence     string             `help:"${presence}" placeholder:"HOW"`
	Calendar     []string           `help:"weekday, month or both with a comma: features of the date, known in advance." placeholder:"PARTS"`
	Horizon      int                `help:"Forecast each of so many snapshots ahead." default:"1"`
	First        int                `help:"${first}" default:"1"`
	Lags         int                `help:"How many of the target's last values are features, the newest included; 0 for none." default:"8"`
	Scale        table.Scaling      `help:"${scale}" enum:"log1p," default:"" placeholder:"log1p"`
	Inputs       int                `help:"How many snapshots a forecast sees." default:"4"`
	Step         string             `help:"Length of a snapshot: 1d, 2w, 12h for dates, a number for numbers; else each time is one." placeholder:"STEP"`
	WithoutEdges table.WithoutEdges `help:"hold or empty: what the graph of a snapshot without edges is; else that is an error." enum:"hold,empty," default:"" placeholder:"HOW"`

	Time        string `help:"Column of times in both files; else time, date, day or timestamp." placeholder:"COLUMN"`
	EdgesTime   string `help:"Column of times in --edges, where it has another name; - for a graph that does not change." placeholder:"COLUMN"`
	Source      string `help:"Column of --edges; else source, src, from or origin." placeholder:"COLUMN"`
	Destination string `help:"Column of --edges; else destination, dest, dst, to or target." placeholder:"COLUMN"`
	Weight      string `help:"${weight}" placeholder:"COLUMN"`
	Node        string `help:"Column of --nodes; else node, id, region or station." placeholder:"COLUMN"`

	cellFlags

	Model   string         `help:"${model}" aliases:"field" default:"peng-cde" placeholder:"NAME"`
	Linear  bool           `help:"Add a linear regression on a node's past to the model."`
	Search  bool           `help:"${search}"`
	Graph   bool           `help:"${graph}"`
	Seeds   *int           `help:"Trainings of a model; else 3 with auto, --search or --graph, else 1." placeholder:"N"`
	Budget  *time.Duration `help:"${budget}" placeholder:"TIME"`
	Hidden  int            `help:"Width of a node's state." default:"8"`
	Layers  int            `help:"Layers of the vector field." default:"1"`
	Epochs  int            `help:"The most epochs of training, which stops early." default:"60"`
	Seed    uint64         `help:"Draws the initial parameters; further seeds count up."`
	Out     string         `help:"Folder for model, forecasts, errors and page; else COLUMN-forecast." placeholder:"DIR"`
	Backend string         `help:"${backend}" placeholder:"NAME"`
}

// cellFlags say how cells are read. An empty flag leaves a configuration as it is.
type cellFlags struct {
	EmptyWeight table.EmptyWeight `help:"${empty_weight}" enum:"drop,zero,error," default:"" placeholder:"HOW"`
	Duplicate   string            `help:"${duplicate}" enum:"mean,sum,last,error," default:"" placeholder:"HOW"`
	Separator   string            `help:"${separator}" placeholder:"SIGN"`
	Decimal     string            `help:"${decimal}" placeholder:"SIGN"`
	DateFormat  string            `help:"${date_format}" placeholder:"FORMAT"`
}

func (c cellFlags) set(to *table.Config) {
	how := table.Aggregate(c.Duplicate)
	if c.Duplicate == "error" {
		how = table.Unique
	}
	to.Nodes.Aggregate = cmp.Or(how, to.Nodes.Aggregate)
	to.Edges.EmptyWeight = cmp.Or(c.EmptyWeight, to.Edges.EmptyWeight)
	to.Separator, to.Decimal = cmp.Or(c.Separator, to.Separator), cmp.Or(c.Decimal, to.Decimal)
	to.DateFormat = cmp.Or(c.DateFormat, to.DateFormat)
}

// Run trains a model on the files and writes the results.
func (c *fitCommand) Run(ctx context.Context, s *streams) (err error) {
	for _, n := range []struct {
		flag         string
		value, least int
	}{{"inputs", c.Inputs, 2}, {"hidden", c.Hidden, 1}, {"layers", c.Layers, 1}, {"epochs", c.Epochs, 1},
		{"horizon", c.Horizon, 1}, {"first", c.First, 1}} {
		if n.value < n.least { // 0 would select the default
			return fmt.Errorf("--%s %d, want %d or more", n.flag, n.value, n.least)
		}
	}
	seeds, budget := 0, time.Duration(0)
	if c.Seeds != nil {
		if seeds = *c.Seeds; seeds < 1 {
			return fmt.Errorf("--seeds %d, want 1 or more", seeds)
		}
	}
	if c.Budget != nil {
		if budget = *c.Budget; budget <= 0 {
			return fmt.Errorf("--budget %v, want a positive time such as 5m", budget)
		}
	}
	out := cmp.Or(c.Out, strings.NewReplacer("/", "-", `\`, "-").Replace(strings.Join(c.Target, "-"))+"-forecast")
	if err := checkFolder(out); err != nil {
		return err
	}
	if err := keepInputs(forecast.Files(out), c.Edges, c.Nodes); err != nil {
		return err
	}
	config, err := c.table(s)
	if err != nil {
		return err
	}
	data, err := table.Read(ctx, config)
	if err != nil {
		return asFlags(err)
	}
	backend, err := open(c.Backend, s)
	if err != nil {
		return err
	}
	defer backend.Close()
	series := data.Series
	opened := backend.String()
	if c.Backend != "" {
		opened = backendSettings.Replace(opened)
	}
	fmt.Fprintf(s.err, "%s, %s, %s; %s\n", plain.Count(series.Nodes(), "node"),
		plain.Count(series.Pattern.Edges(), "edge"), plain.Count(len(series.Times), "snapshot"), opened)
	release, err := holdFolder(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	before := modelIn(out)
	before.noteReplaced(s.err)
	bar := newBar("fit", s.err)
	fitted, err := forecast.Fit(ctx, backend, data, forecast.Config{Inputs: c.Inputs, Model: c.Model, Linear: c.Linear,
		Search: c.Search, Graph: c.Graph, Seeds: seeds, Budget: budget, Hidden: c.Hidden, Layers: c.Layers,
		Epochs: c.Epochs, Seed: c.Seed, Checkpoint: filepath.Join(out, ".checkpoint"), Progress: bar.Show,
		Notice: func(text string) { fmt.Fprintln(s.err, "\n"+text) }})
	if err != nil {
		bar.Stop("stopped")
		return err
	}
	defer fitted.Close()
	bar.Done(plain.Count(fitted.Epochs(), "epoch"))
	before.noteMeanwhile(s.err)
	if err := fitted.Write(ctx, out); err != nil {
		return err
	}
	if err := fitted.RemoveCheckpoints(); err != nil {
		return err
	}
	return c.report(s, fitted, out)
}

// table returns the configuration for reading the files.
func (c *fitCommand) table(s *streams) (table.Config, error) {
	step, err := table.ParseStep(c.Step)
	config := table.Config{
		Edges: table.Edges{Path: c.Edges, Time: cmp.Or(c.EdgesTime, c.Time), From: c.Source, To: c.Destination,
			Weight: c.Weight, Features: c.EdgeFeature},
		Nodes: table.Nodes{Path: c.Nodes, Time: c.Time, Node: c.Node, Targets: c.Target, Features: c.Feature,
			Categories: c.Category, Presence: c.Presence},
		Step: step, WithoutEdges: c.WithoutEdges, Notices: flagNotices{s.err},
		Lags:  cmp.Or(c.Lags, table.NoLags), // else 0 would select the default
		Scale: c.Scale, First: c.First, Horizon: c.Horizon,
	}
	for _, part := range c.Calendar {
		config.Calendar = append(config.Calendar, table.CalendarPart(part))
	}
	c.set(&config)
	return config, err
}

// report prints the answers, the errors and the paths of the files.
func (c *fitCommand) report(s *streams, fitted *forecast.Result, out string) error {
	errors, err := fitted.Table()
	if err != nil {
		return err
	}
	width := widthOf(s.out)
	wrapped := func(text string) string { return strings.Join(plain.Wrap(text, width), "\n") + "\n" }
	errors.Finding = "" // below, after the mark
	text, err := errors.Text(width)
	if err != nil {
		return err
	}
	if strings.Contains(text, "◄") {
		text += "◄ marks the lowest mean squared error.\n"
	}
	steps, err := fitted.StepTable()
	if err != nil {
		return err
	}
	if steps != nil {
		byStep, err := steps.Text(width)
		if err != nil {
			return err
		}
		text += "\n" + byStep
	}
	text += "\n" + wrapped(fitted.Verdict())
	if stopped := fitted.Stopped(); stopped != "" {
		text += "\n" + wrapped(stopped)
	}
	if fitted.Choice != nil {
		text = wrapped(fitted.Choice.String()) + "\n" + text
	}
	if fitted.Graph != nil {
		text += "\n" + wrapped(fitted.Graph.String())
	}
	for _, i := range fitted.Coverage {
		ahead := ""
		if c.Horizon > 1 {
			ahead = fmt.Sprintf(" %d ahead", i.Ahead)
		}
		text += fmt.Sprintf("\n%g%% intervals%s held %.0f%% of values in %s, mean width %.3g %s", 100*i.Level, ahead,
			100*i.Held, plain.Count(i.Windows, "window"), i.Width, i.Target)
	}
	if fitted.Coverage != nil {
		text += "\n"
	}
	_, err = fmt.Fprintf(s.out, "\n%s\nWritten to %s:\n  %-14s forecasts of values not known yet\n"+
		"  %-14s errors by node\n  %-14s figures, to be opened in a browser\n"+
		"  %-14s for: pengcde forecast %s --edges FILE --nodes FILE\n", text, out,
		forecast.ForecastsFile, forecast.ErrorsFile, forecast.PageFile, forecast.ModelFile,
		starter.Quote(filepath.Join(out, forecast.ModelFile)))
	return err
}

// open opens a backend by name; "" means the best available.
func open(name string, s *streams) (*xla.Backend, error) {
	if err := checkBackend(name); err != nil {
		return nil, err
	}
	backend, err := xla.Open(xla.Config{Backend: name, Notices: s.err})
	return backend, byFlag(name, err)
}

// backendSettings replaces the names of the settings that --backend stands for.
var backendSettings = strings.NewReplacer("Config.Backend", "--backend", "$"+xla.BackendEnv, "--backend")

// byFlag returns an error that names --backend, if that gave the backend, in place of the setting that it stands for.
func byFlag(backend string, err error) error {
	if err == nil || backend == "" {
		return err
	}
	return errs.New(err, "%s", backendSettings.Replace(err.Error()))
}
