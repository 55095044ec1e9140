package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
)

type listCommand struct{}

// Run prints the data sets, and every study with its keys, its models and the number of runs in each profile.
func (listCommand) Run(_ context.Context, s *streams) error {
	if err := listData(s.out); err != nil {
		return err
	}
	for _, study := range paper.All() {
		fmt.Fprintf(s.out, "\nstudy %s: %s\n  data: %s\n", study.Name, study.Title, study.Data)
		if err := listModels(s.out, study); err != nil {
			return err
		}
	}
	return nil
}

func listData(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "data set\tnodes\tsnapshots\tedges\tfeatures")
	england, err := pgt.EnglandCovid()
	tennis, err2 := pgt.TwitterTennis(pgt.RG17)
	open, err3 := pgt.TwitterTennis(pgt.UO17)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	for _, s := range []*dyngraph.Series{england, tennis, open} {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", s.Name, s.Nodes(), len(s.Times), s.Pattern.Edges(), s.FeatureSize)
	}
	return w.Flush()
}

func listModels(out io.Writer, study experiments.Study) error {
	profiles := experiments.Profiles()
	var ids []string
	cells := make(map[string][]string) // by model, one for each profile
	keys := make(map[string][]string)
	for i, p := range profiles {
		report, err := study.Stored(experiments.Options{Profile: p})
		if err != nil {
			return err
		}
		for key := range report.Results[0].Keys { // runs of a study have the same ones
			keys[key] = report.Results.Values(key)
		}
		for _, id := range report.Models() {
			if !slices.Contains(ids, id) {
				ids, cells[id] = append(ids, id), slices.Repeat([]string{"–"}, len(profiles))
			}
			results := report.Results.Where("model", id)
			cells[id][i] = fmt.Sprintf("%d of %d", len(results.Made()), len(results))
			if stale := results.Stale(); stale > 0 {
				cells[id][i] += fmt.Sprintf(", %d stale", stale)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		fmt.Fprintf(out, "  %s: %s\n", key, strings.Join(keys[key], ", "))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "  model, runs stored")
	for _, p := range profiles {
		fmt.Fprintf(w, "\t%s", p)
	}
	for _, id := range ids {
		fmt.Fprintf(w, "\n  %s", id)
		for _, cell := range cells[id] {
			fmt.Fprintf(w, "\t%s", cell)
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}
