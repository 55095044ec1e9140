package catalogue

import (
	"cmp"
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

// Blocks holds the blocks on which models are ranked.
type Blocks struct {
	experiments.Matrix
	// Names maps model IDs to names.
	Names map[string]string
	// Each describes a block, such as "a family of graphs with a seed". Dependence, if not "", describes how blocks
	// depend on each other, which the tests ignore.
	Each, Dependence string
	// Ratios aligns the logarithms of errors, for blocks on different scales. The errors must be positive.
	Ratios bool
}

// BlocksOf returns a block for each combination of keys, seed and fold in the results.
func BlocksOf(results experiments.Results, score string) Blocks {
	b := Blocks{Matrix: results.Matrix(score), Names: make(map[string]string)}
	for _, result := range results {
		b.Names[result.Model.ID] = result.Model.Name
	}
	return b
}

// leastRanked and leastBlocks are the smallest numbers of models and of blocks for ranks. With fewer blocks ranks are
// noise: the distribution that Friedman's test uses holds from about ten on (Demšar 2006, section 3.2.2).
const leastRanked, leastBlocks = 3, 10

// CriticalDifference returns the critical-difference diagram of the models. It uses Friedman's test over blocks and,
// if that rejects at 0.05, tests pairs of models by aligned ranks with Holm's correction. Models with errors on less
// than half of the blocks are left out, then, while fewer than 10 blocks have the others, the model with the fewest,
// then blocks that lack a model; the figure says so. The error wraps [experiments.ErrNotStored] if fewer than 3 models
// or 10 blocks remain.
func CriticalDifference(title string, b Blocks) (*figures.Figure, error) {
	models, table, without := b.complete()
	if len(models) < leastRanked || len(table) < leastBlocks {
		return nil, errs.New(experiments.ErrNotStored, "experiments: %s: %d models on %d complete blocks are stored, want "+
			"%d and %d to rank them", title, len(models), len(table), leastRanked, leastBlocks)
	}
	friedman, err := stats.Friedman(table)
	if err != nil {
		return nil, fmt.Errorf("experiments: %s: %w", title, err)
	}
	of := "of errors"
	if b.Ratios {
		of, table = "of log errors", logarithms(table)
	}
	aligned, err := stats.AlignedRanks(table)
	if err != nil {
		return nil, fmt.Errorf("experiments: %s: %w", title, err)
	}
	p := judge.Probability(friedman.P)
	if !strings.HasPrefix(p, "<") {
		p = "= " + p
	}
	axes, ranking := figures.Axes{Title: title}, figures.Ranking{}
	says := fmt.Sprintf("%d blocks: %s.", len(table), b.Each)
	if friedman.P > stats.Level {
		ranking.Instead = fmt.Sprintf("No diagram: over %d blocks Friedman's test does not tell the %d models apart (p %s), "+
			"so no pair of them is compared.", len(table), len(models), p)
	} else {
		for i, id := range models {
			style, _ := StyleOf(id)
			ranking.Models = append(ranking.Models, figures.RankedModel{Name: b.Names[id], Rank: friedman.MeanRanks[i],
				Style: style})
		}
		ranking.Groups = aligned.Groups(stats.Level)
		says += fmt.Sprintf(" Friedman's test: p %s. A bar joins the models with a dot on it, which aligned ranks %s do not "+
			"tell apart at %g, after Holm's correction; tests of the errors themselves may.", p, of, stats.Level)
	}
	axes.Notes = append(axes.Notes, says+left(len(b.Values)-len(table), without))
	if b.Dependence != "" {
		axes.Notes = append(axes.Notes, b.Dependence)
	}
	return figures.CriticalDifference(axes, ranking)
}

// complete returns the ranked models, their errors on the blocks that lack none of them, and the other models with
// their number of errors.
func (b Blocks) complete() (models []string, table [][]float64, without []string) {
	counts := make([]int, len(b.Models))
	for _, row := range b.Values {
		for j, x := range row {
			if !math.IsNaN(x) {
				counts[j]++
			}
		}
	}
	var columns []int
	for j, count := range counts {
		if 2*count >= len(b.Values) {
			columns = append(columns, j)
		}
	}
	table = b.with(columns)
	for len(table) < leastBlocks && len(columns) > leastRanked {
		fewest := slices.MinFunc(columns, func(i, j int) int { return cmp.Compare(counts[i], counts[j]) })
		columns = slices.DeleteFunc(columns, func(j int) bool { return j == fewest })
		table = b.with(columns)
	}
	for j, id := range b.Models {
		if slices.Contains(columns, j) {
			models = append(models, id)
		} else {
			without = append(without, fmt.Sprintf("%s (%d)", b.Names[id], counts[j]))
		}
	}
	return models, table, without
}

// with returns the errors of the models in these columns on the blocks that lack none of them.
func (b Blocks) with(columns []int) (table [][]float64) {
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
	return table
}

func logarithms(table [][]float64) [][]float64 {
	logs := make([][]float64, len(table))
	for i, row := range table {
		for _, x := range row {
			logs[i] = append(logs[i], math.Log(x))
		}
	}
	return logs
}

// left describes what was left out.
func left(blocks int, without []string) (text string) {
	if blocks > 0 {
		text = fmt.Sprintf(" Blocks left out, as a run is missing or diverged: %d.", blocks)
	}
	if len(without) > 0 {
		text += fmt.Sprintf(" Not ranked, with their numbers of blocks: %s. A model is left out that lacks more than half "+
			"of the blocks, or has the fewest while fewer than %d blocks have all models.", strings.Join(without, ", "),
			leastBlocks)
	}
	return text
}
