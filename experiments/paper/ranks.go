package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/stats"
)

// Blocks are what models are ranked on.
type Blocks struct {
	experiments.Matrix
	// Names of the models, by ID.
	Names map[string]string
	// Each says what a block is, such as "a family of graphs with a seed"; Dependence, where not "", how blocks depend on
	// each other, which the tests do not count.
	Each, Dependence string
}

// BlocksOf has a block for each value of the keys, seed and fold of results.
func BlocksOf(results experiments.Results, score string) Blocks {
	b := Blocks{Matrix: results.Matrix(score), Names: make(map[string]string)}
	for _, result := range results {
		b.Names[result.Model.ID] = result.Model.Name
	}
	return b
}

// leastRanked is the number of models from which on they are ranked.
const leastRanked = 3

// CriticalDifference is the critical-difference diagram of models: Friedman's test over blocks, and where it rejects at
// 0.05, pairs of models by aligned ranks with Holm's correction. Models with errors on less than half of the blocks are
// left out, and then blocks that lack one; the figure says so. An error wraps [experiments.ErrNotStored] where fewer
// than 3 models or 2 blocks are left.
func CriticalDifference(title string, b Blocks) (*figures.Figure, error) {
	models, table, without := b.complete()
	if len(models) < leastRanked || len(table) < 2 {
		return nil, errs.New(experiments.ErrNotStored, "experiments: %s: %d models on %d complete blocks are stored, want "+
			"%d and 2 to rank them", title, len(models), len(table), leastRanked)
	}
	friedman, err := stats.Friedman(table)
	if err != nil {
		return nil, fmt.Errorf("experiments: %s: %w", title, err)
	}
	aligned, err := stats.AlignedRanks(table)
	if err != nil {
		return nil, fmt.Errorf("experiments: %s: %w", title, err)
	}
	p := judge.Probability(friedman.P)
	if !strings.HasPrefix(p, "<") {
		p = "= " + p
	}
	ranking := figures.Ranking{}
	says := fmt.Sprintf("%d blocks: %s.", len(table), b.Each)
	if friedman.P > judge.Level {
		ranking.Instead = fmt.Sprintf("No diagram: over %d blocks Friedman's test does not tell the %d models apart (p %s), "+
			"so no pair of them is compared.", len(table), len(models), p)
	} else {
		for i, id := range models {
			style, _ := StyleOf(id)
			ranking.Models = append(ranking.Models, figures.RankedModel{Name: b.Names[id], Rank: friedman.MeanRanks[i],
				Style: style})
		}
		ranking.Groups = aligned.Groups(judge.Level)
		says += fmt.Sprintf(" Friedman's test: p %s. A bar joins the models with a dot on it, which aligned ranks do not "+
			"tell apart at %g, after Holm's correction.", p, judge.Level)
	}
	ranking.Notes = append(ranking.Notes, says+left(len(b.Values)-len(table), without))
	if b.Dependence != "" {
		ranking.Notes = append(ranking.Notes, b.Dependence)
	}
	return figures.CriticalDifference(figures.Axes{Title: title}, ranking)
}

// complete are the models with errors on half of the blocks or more, their errors on the blocks that lack none of them,
// and the other models, with how many errors they have.
func (b Blocks) complete() (models []string, table [][]float64, without []string) {
	var columns []int
	for j, id := range b.Models {
		count := 0
		for _, row := range b.Values {
			if !math.IsNaN(row[j]) {
				count++
			}
		}
		if 2*count >= len(b.Values) {
			models, columns = append(models, id), append(columns, j)
		} else {
			without = append(without, fmt.Sprintf("%s (%d)", b.Names[id], count))
		}
	}
	for _, row := range b.Values {
		var errors []float64
		for _, j := range columns {
			if !math.IsNaN(row[j]) {
				errors = append(errors, row[j])
			}
		}
		if len(errors) == len(columns) {
			table = append(table, errors)
		}
	}
	return models, table, without
}

// left says what was left out.
func left(blocks int, without []string) (text string) {
	if blocks > 0 {
		text = fmt.Sprintf(" Blocks left out, as a run is missing or diverged: %d.", blocks)
	}
	if len(without) > 0 {
		text += fmt.Sprintf(" Not ranked, for results on too few blocks: %s.", strings.Join(without, ", "))
	}
	return text
}

// ranks are the diagrams of the study, all dynamics first and then each.
func (w Worlds) ranks(r *experiments.Report) (drawn pageFigures) {
	if !r.Comparable() {
		return drawn
	}
	all := BlocksOf(r.Results, string(OnTest))
	all.Each = "dynamics on a family of graphs with a seed, which draws them"
	all.Dependence = "Blocks of one seed share events and times, and blocks of one family its graphs too, so that " +
		"they depend on each other a little. Aligned ranks see by how much errors differ, so blocks of large errors count " +
		"most."
	dynamics := r.Results.Values("dynamics")
	if len(dynamics) > 1 {
		figure, err := CriticalDifference(w.Name+", all dynamics: models by test error", all)
		drawn.add(w.Name+"-ranks", figure, err)
	}
	for _, v := range w.seen(r.Results) {
		if v.columns != "family" { // worlds that share their graphs are no blocks of their own
			continue
		}
		one := BlocksOf(v.of(r.Results), string(OnTest))
		one.Each = "a family of graphs with a seed, which draws them"
		one.Dependence = "Blocks of one seed share events and times, so that they depend on each other a little."
		figure, err := CriticalDifference(fmt.Sprintf("%s, %s: models by test error", w.Name, v.name), one)
		drawn.add(w.Name+"-"+v.keys["dynamics"]+"-ranks", figure, err)
	}
	return drawn
}

// rankedSplits are those whose blocks come near to being independent; windows of the others overlap.
var rankedSplits = []Split{Random, PurgedRotation}

// forecastRanks are the diagrams of a forecasting study, by split: all series together first and then each. Each model
// has one row in them, with the published hyperparameters.
func forecastRanks(r *experiments.Report, all []comparison) (drawn pageFigures) {
	if !r.Comparable() {
		return drawn
	}
	together, title, err := withOther(r, all)
	if err != nil {
		drawn.err = err
		return drawn
	}
	for _, split := range rankedSplits {
		of := slices.DeleteFunc(slices.Clone(all), func(c comparison) bool { return c.split != split })
		both := slices.DeleteFunc(slices.Clone(together), func(c comparison) bool {
			return c.split != split || !slices.ContainsFunc(c.rows, func(r row) bool { return len(r.Finished()) > 0 })
		})
		if len(both) > 1 {
			figure, err := CriticalDifference(fmt.Sprintf("%s, %s: models by test error", title, split), forecastBlocks(both))
			drawn.add(fmt.Sprintf("%s-together-%s-ranks", r.Study.Name, split), figure, err)
		}
		for _, c := range of {
			figure, err := CriticalDifference(fmt.Sprintf("%s, %s: models by test error", c.place.title(), split),
				forecastBlocks([]comparison{c}))
			drawn.add(fmt.Sprintf("%s-%s-ranks", strings.ReplaceAll(c.place.title(), ", ", "-"), split), figure, err)
		}
	}
	return drawn
}

// withOther adds to a study's comparisons the comparisons of the series that models are ranked on together with its
// own, and returns a title for all.
func withOther(r *experiments.Report, all []comparison) (together []comparison, title string, err error) {
	if len(all) == 0 || all[0].place.with == nil {
		return all, r.Study.Name + ", all countries", nil
	}
	other, err := all[0].place.with()
	if err != nil {
		return nil, "", err
	}
	stored, err := other.Stored(context.Background(), experiments.Options{Profile: r.Profile})
	if err != nil {
		return nil, "", err
	}
	more, err := comparisons(stored)
	return slices.Concat(all, more), all[0].place.title() + " and " + other.title(), err
}

// forecastBlocks makes blocks of comparisons on one split: seeds of the random one, else tested windows.
func forecastBlocks(of []comparison) Blocks {
	b := Blocks{Names: make(map[string]string), Each: "a tested window of a series",
		Dependence: "Runs for the windows of a series share training windows, and windows near each other are alike: blocks " +
			"depend on each other, and p is too small. The corrected p values of the table count that."}
	if of[0].split == Random {
		b.Each = "a series with a seed, which splits it"
		b.Dependence = "Splits of a series share windows: blocks depend on each other, and p is too small. The corrected p " +
			"values of the table count that."
	}
	at := make(map[string]map[string]float64) // by block and model
	for _, c := range of {
		for _, row := range c.rows {
			if row.variant != plain {
				continue
			}
			if b.Names[row.ID] == "" {
				b.Names[row.ID], b.Models = row.Name, append(b.Models, row.ID)
			}
			blocks, errors := row.of, row.errors
			if c.split == Random { // also of a row that lacks some seeds
				blocks, errors = nil, row.Scores("test")
				for _, result := range row.Results {
					blocks = append(blocks, int(result.Seed))
				}
			}
			for i, error := range errors {
				block := fmt.Sprintf("%s, %d", c.heading(), blocks[i])
				if at[block] == nil {
					at[block], b.Matrix.Blocks = make(map[string]float64), append(b.Matrix.Blocks, block)
				}
				at[block][row.ID] = error
			}
		}
	}
	for _, block := range b.Matrix.Blocks {
		var row []float64
		for _, id := range b.Models {
			error, ok := at[block][id]
			if !ok {
				error = math.NaN()
			}
			row = append(row, error)
		}
		b.Values = append(b.Values, row)
	}
	return b
}
