package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

type listCommand struct {
	Study string   `arg:"" optional:"" help:"List its models and keys; all studies without it."`
	Data  []string `help:"A file of your own, in the JSON of england_covid; repeat for more." placeholder:"FILE" sep:"none"`
}

// Run prints the studies with the number of runs in each profile, or one study.
func (c listCommand) Run(ctx context.Context, s *streams) error {
	if c.Study == "" && len(c.Data) > 0 {
		return errs.New(experiments.ErrInput, "list: --data without a study, want one of %s",
			strings.Join(paper.Names(), ", "))
	}
	if err := checkBackend(""); err != nil {
		return err
	}
	if c.Study == "" {
		return listAll(ctx, s.out)
	}
	study, err := paper.ByName(c.Study)
	if err != nil {
		return err
	}
	return listOne(ctx, s.out, study, c.Data, widthOf(s.out))
}

// listAll prints a line for each study and for each data set, and what to run next.
func listAll(ctx context.Context, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0) // lines fit a terminal
	fmt.Fprint(w, "Runs stored, of those planned, by study and profile\n\nstudy")
	for _, p := range experiments.Profiles() {
		fmt.Fprintf(w, "\t%s", p)
	}
	fmt.Fprintln(w, "\twhat is forecast")
	for _, study := range paper.All() {
		states, err := study.States(ctx, experiments.Options{})
		if err != nil {
			return err
		}
		fmt.Fprint(w, study.Name)
		for _, p := range experiments.Profiles() {
			stored, planned := states[p].Count()
			fmt.Fprintf(w, "\t%d/%d", stored, planned)
		}
		fmt.Fprintf(w, "\t%s\n", study.Title)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, outside())
	fmt.Fprint(out, `
quick trains for minutes, to see that all works; medium for hours, on smaller
graphs or with fewer seeds than published; full is what the paper did.

  pengcde list epidemics                   its models and keys
  pengcde show epidemics --profile medium  its stored runs
  pengcde run epidemics --dry-run          the missing runs, and how long
  pengcde run epidemics                    make the missing runs

`)
	_, err := fmt.Fprint(out, dataSets)
	return err
}

// dataSets lists the series that ship with the module, so that none is read to list them.
const dataSets = `data set             nodes  snapshots  edges  features
england_covid        129    53         2346   8
italy_covid          105    71         864    8
france_covid         94     56         771    8
twitter_tennis_rg17  1000   120        13473  16
twitter_tennis_uo17  1000   112        14351  16
`

// outside says, outside a checkout, why no shipped run is counted.
func outside() string {
	if _, err := moduleroot.Find("."); err == nil {
		return ""
	}
	return "\nShipped runs are only in a checkout of the module; this folder is in none.\n"
}

// stock holds the planned and stored runs of a study, over all profiles.
type stock struct {
	models []experiments.Row
	runs   map[string][]string // stored runs in each profile, by model
	keys   []string
	values map[string][]string // by key
	// best is the profile with the most stored runs.
	best            experiments.Profile
	stored, missing int // stored: runs of best; missing: runs of quick
}

func takeStock(ctx context.Context, study experiments.Study, data []string) (s stock, err error) {
	profiles := experiments.Profiles()
	s = stock{runs: make(map[string][]string), values: make(map[string][]string)}
	states, err := study.States(ctx, experiments.Options{Data: data})
	if err != nil {
		return s, err
	}
	for i, p := range profiles {
		stored, planned := states[p].Count()
		if stored > s.stored {
			s.best, s.stored = p, stored
		}
		if p == experiments.Quick {
			s.missing = planned - stored
		}
		of := make(map[string]experiments.RunStates)
		for _, run := range states[p] {
			for key, value := range run.Keys {
				if !slices.Contains(s.keys, key) {
					s.keys = append(s.keys, key)
				}
				if !slices.Contains(s.values[key], value) {
					s.values[key] = append(s.values[key], value)
				}
			}
			id := run.Model.ID
			if s.runs[id] == nil {
				s.models, s.runs[id] = append(s.models, run.Model), slices.Repeat([]string{"–"}, len(profiles))
			}
			of[id] = append(of[id], run)
		}
		for id, runs := range of {
			stored, planned := runs.Count()
			s.runs[id][i] = fmt.Sprintf("%d/%d", stored, planned)
			if failed := runs.Failed(); failed > 0 {
				s.runs[id][i] += fmt.Sprintf(", %d failed", failed)
			}
			if stale := runs.Stale(); stale > 0 {
				s.runs[id][i] += fmt.Sprintf(", %d stale", stale)
			}
		}
	}
	slices.Sort(s.keys)
	return s, nil
}

// listOne prints the models, keys and values of a study, and what to run next.
func listOne(ctx context.Context, out io.Writer, study experiments.Study, data []string, width int) error {
	s, err := takeStock(ctx, study, data)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", study.Name, study.Title)
	if study.About != "" {
		fmt.Fprint(out, "\n"+wrapped(study.About, width))
	}
	fmt.Fprintf(out, "\nData: %s\n\n", study.Data)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "model")
	for _, p := range experiments.Profiles() {
		fmt.Fprintf(w, "\t%s", p)
	}
	fmt.Fprintln(w)
	for _, model := range s.models {
		fmt.Fprintf(w, "%s\t%s\t%s\n", model.ID, strings.Join(s.runs[model.ID], "\t"), model.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, outside())
	for _, key := range s.keys {
		fmt.Fprint(out, "\n"+wrapped(fmt.Sprintf("%s: %s", key, strings.Join(s.values[key], ", ")), width))
	}
	fmt.Fprintln(out)
	if s.stored > 0 {
		fmt.Fprintf(out, "  pengcde show %s --profile %s%s\n", study.Name, s.best, dataArguments(data))
	}
	if s.missing > 0 {
		fmt.Fprintf(out, "  pengcde run %s --dry-run%s\n", study.Name, dataArguments(data))
	}
	return nil
}
