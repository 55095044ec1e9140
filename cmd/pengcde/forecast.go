package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/peng-cde/pengcde-go/forecast"
)

type forecastCommand struct {
	Model   string `arg:"" help:"What pengcde fit wrote: the folder, or a model's file."`
	Edges   string `help:"Newer edges, with the columns that fit read." required:"" placeholder:"FILE"`
	Nodes   string `help:"Newer values of nodes, with the columns that fit read." required:"" placeholder:"FILE"`
	Out     string `help:"The file to write: .csv or .parquet." default:"new-forecasts.csv" placeholder:"FILE"`
	Backend string `help:"${backend}" placeholder:"NAME"`

	cellFlags
}

// Help adds to the help text.
func (forecastCommand) Help() string {
	return "Cells are read as fit read them, unless one of the last five flags says otherwise."
}

// Run forecasts from the newest snapshots of the files.
func (c *forecastCommand) Run(ctx context.Context, s *streams) error {
	path := c.Model
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, forecast.ModelFile)
	}
	if err := keepInputs([]string{c.Out}, c.Edges, c.Nodes, path); err != nil {
		return err
	}
	backend, err := open(c.Backend, s)
	if err != nil {
		return err
	}
	defer backend.Close()
	model, err := forecast.Load(backend, path)
	if err != nil {
		return err
	}
	defer model.Close()
	model.Recipe.Config.Notices = flagNotices{s.err}
	c.set(&model.Recipe.Config)
	series, err := model.Recipe.Read(ctx, c.Edges, c.Nodes)
	if err != nil {
		return asFlags(err)
	}
	ahead, err := model.Ahead(ctx, series)
	if err != nil {
		return err
	}
	notices, err := model.Notices(series, ahead)
	if err != nil {
		return err
	}
	for _, notice := range notices {
		fmt.Fprintln(s.err, notice)
	}
	if err := model.WriteForecasts(c.Out, ahead); err != nil {
		return err
	}
	for _, f := range ahead {
		present := len(slices.DeleteFunc(slices.Clone(f.Values), math.IsNaN))
		fmt.Fprintf(s.out, "%s of %d nodes, %d after %s", f.Target, present, f.Ahead, f.From)
		if f.Time != "" {
			fmt.Fprintf(s.out, ": %s", f.Time)
		}
		fmt.Fprintln(s.out)
	}
	_, err = fmt.Fprintln(s.out, "written to", filepath.Clean(c.Out))
	return err
}
