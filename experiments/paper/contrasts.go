package paper

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/stats"
)

// contrasted are two models with a text for each of several columns.
type contrasted struct {
	model, other string // names
	columns      []string
}

// contrast compares the test errors of each subject with the errors of all other models, in each column's results. The
// p values are corrected by Holm over all of them.
func contrast(columns []experiments.Results, subjects, models []string) (all []contrasted, err error) {
	var p []float64
	var tested []*string // the texts that p values are of
	for _, subject := range subjects {
		if !slices.Contains(models, subject) {
			continue
		}
		rivals := others(models, subject)
		rows := make([]contrasted, len(rivals))
		for i, id := range rivals {
			rows[i] = contrasted{nameIn(columns, subject), nameIn(columns, id), make([]string, len(columns))}
		}
		for k, results := range columns {
			compared, err := ratios(results, subject, rivals, OnTest)
			if err != nil {
				return nil, err
			}
			for i, r := range compared {
				rows[i].columns[k] = pairedErrors(logErrors(results, subject, OnTest), logErrors(results, rivals[i], OnTest))
				if r.gap == "" {
					p, tested = append(p, r.P), append(tested, &rows[i].columns[k])
				}
			}
		}
		all = append(all, rows...)
	}
	corrected, err := stats.Holm(p)
	if err != nil {
		return nil, err
	}
	for i, text := range tested {
		*text += fmt.Sprintf(", p %s", judge.Probability(corrected[i]))
	}
	return all, nil
}

// nameIn is the name of a model that has results in a column.
func nameIn(columns []experiments.Results, id string) string {
	for _, results := range columns {
		if some := results.Where("model", id); len(some) > 0 {
			return some[0].Model.Name
		}
	}
	return id
}

// pairedErrors says how much lower or higher one model's errors are than another's, over worlds where neither diverged.
func pairedErrors(own, rival map[worldAt]float64) string {
	var differences []float64
	diverged := 0
	for at, mine := range own {
		its, known := rival[at]
		switch {
		case !known:
		case math.IsInf(mine, 1) || math.IsInf(its, 1):
			diverged++
		default:
			differences = append(differences, mine-its)
		}
	}
	text := "–"
	if len(differences) > 0 {
		slices.Sort(differences) // for one sum, whatever the order of a map
		text = fmt.Sprintf("%s (%d)", percent(stat.Mean(differences, nil)), len(differences))
	}
	if diverged > 0 {
		text += fmt.Sprintf(", %d diverged", diverged)
	}
	return text
}
