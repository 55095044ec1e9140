package paper

import (
	"fmt"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

const measureNote = "Without a star each node's forecast is compared with its own target. *: the published measure " +
	"compares every node's forecast with every node's target, which forgets which node is which, so no forecast can " +
	"fall below the variance between nodes."

// notes say how the models compare, what rows are, explain the columns of cost, and say what the models took.
func (f *Forecasting) notes(c comparison) ([]string, error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	splits, err := f.splits(setting{Model: untrained, split: c.split}, 0)
	if err != nil {
		return nil, err
	}
	notes := []string{c.over.Note, measureNote}
	add := func(applies bool, format string, values ...any) {
		if applies {
			notes = append(notes, fmt.Sprintf(format, values...))
		}
	}
	if c.best != nil {
		pairs := "window"
		if c.split == Random {
			pairs = "seed"
		}
		add(true, "minus best simple: error minus that of %q in pairs of the same %s; it is the best of the forecasts "+
			"without a trained network by these same errors, which favours it.", c.best.Name, pairs)
	}
	verdict := c.verdict()
	add(verdict != "", "%s", verdict)
	if c.split == Random || c.split == LeakyRotation {
		notes = append(notes, f.leak(splits, c.split))
	}
	if c.split == Random {
		notes = append(notes, "The paper's row gives what it prints.")
	} else {
		oracle, err := oracle(series, splits)
		if err != nil {
			return nil, err
		}
		notes = append(notes, oracle)
	}
	for _, row := range c.rows {
		add(row.Note != "", "%s", row.Note)
		add(row.stride > 1 && (row.overlapping || c.split != Random), "%s trains on one in %d of the windows that the "+
			"split allows.", row.Name, row.stride)
		add(row.retrainEvery > 1 && c.split == RollingOrigin, "%s is trained anew every %d origins, on what is known "+
			"at the first of them.", row.Name, row.retrainEvery)
	}
	return append(append(notes, c.CostNote("models that are stored, of all splits,", c.Results)), c.Remarks()...), nil
}

// verdict says in words how the models of a split do against its best simple forecast; "" while either is missing.
func (c comparison) verdict() string {
	var worse, better []string
	for _, row := range c.rows {
		differences := c.differences(row)
		if row.Untrained || len(differences) == 0 {
			continue
		}
		mean, half := c.over.Of(differences)
		interval := ", an interval that holds 0"
		switch {
		case math.IsInf(half, 0) || math.IsNaN(half):
			interval = ""
		case math.Abs(mean) > half:
			interval = ", an interval without 0"
		}
		list := &worse
		if mean < 0 {
			list = &better
		}
		*list = append(*list, fmt.Sprintf("%s (by %.3f%s)", row.Name, math.Abs(mean), interval))
	}
	if worse == nil && better == nil {
		return ""
	}
	text := fmt.Sprintf("The best simple forecast here is %q.", c.best.Name)
	if worse != nil {
		text += " Worse than it: " + strings.Join(worse, ", ") + "."
	}
	if better != nil {
		text += " Better than it: " + strings.Join(better, ", ") + "."
	}
	return text
}

// leak says how many of a split's training windows share steps with tested ones.
func (f *Forecasting) leak(splits []dyngraph.Split, split Split) string {
	training, sharing := 0, 0
	for _, s := range splits {
		training += len(s.Train)
		sharing += len(s.Train) - len(dyngraph.Purge(s.Train, s.Test))
	}
	text := fmt.Sprintf("Training windows may share %ss with tested ones: %d of %d do", f.Time, sharing, training)
	if split == Random {
		text += " with seed 0"
	}
	return text + ". That flatters whatever is fitted."
}

// oracle says what error the targets of the snapshots before have, which no input shows.
func oracle(series *dyngraph.Series, splits []dyngraph.Split) (string, error) {
	var means [2]float64
	tested := 0.0
	for _, s := range splits {
		for _, w := range s.Test {
			tested++
			for back := range means {
				mse, err := train.MSE(series.Targets[w.Last()-1-back], w.Target())
				if err != nil {
					return "", err
				}
				means[back] += mse
			}
		}
	}
	return fmt.Sprintf("For comparison, repeating the target of the snapshot before, which no input shows, has %.3f; of "+
		"the one before that %.3f.", means[0]/tested, means[1]/tested), nil
}
