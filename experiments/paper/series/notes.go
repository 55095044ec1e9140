package series

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

var (
	measureNote = prose.Text("measure")
	randomNote  = "random split: means over seeds (their number in brackets)."
	paperNote   = "validation, paper and test, paper: what the paper prints, over ten seeds, of models with its " +
		"defects; for PENG-CDE, GN-CDE, GN-ODE and STG-NCDE in the published measure, to be read beside the columns with a " +
		"star."
	othersNote = "Splits but the random one: test is the error of the mean forecast of all seeds (their number in " +
		"brackets), mean over the tested windows; one seed: the error of one seed."
	simpleNote = prose.Text("simple")
)

// Notes returns the notes on all tables and figures of the study, for the end of a page.
func (f *Forecasting) Notes(r *experiments.Report) figures.NoteList {
	return append(forecastNotes(r), r.Notes()...)
}

// forecastNotes explains the measure and how rows are trained.
func forecastNotes(r *experiments.Report) figures.NoteList {
	notes := figures.NoteList{measureNote}
	splits := r.Results.Values("split")
	if slices.Contains(splits, string(Random)) {
		notes = append(notes, randomNote)
		prints := func(f *Forecasting) bool { return f.published != "" }
		if r.Comparable() && slices.ContainsFunc(forecastings(r), prints) {
			notes = append(notes, paperNote)
		}
	}
	if slices.ContainsFunc(splits, func(s string) bool { return s != string(Random) }) {
		notes = append(notes, othersNote)
	}
	if r.Comparable() {
		notes = append(notes, simpleNote)
	}
	return slices.Concat(notes, trainedOn(r))
}

// trainedOn describes which rows leave out windows or have more, and which are not trained at every origin.
func trainedOn(r *experiments.Report) (notes figures.NoteList) {
	names := make(map[string][]string)
	for _, result := range r.Results {
		s := result.Spec.(setting)
		var texts []string
		if s.stride > 1 && (s.split != Random || s.overlapping) {
			texts = append(texts, fmt.Sprintf("trained on one in %d of the windows that the split allows", s.stride))
		}
		if s.split == Random && s.overlapping && !slices.Contains(unfitted, s.ID) {
			texts = append(texts, "random split, fitted to windows that overlap, many more than the windows side by side of "+
				"the other models")
		}
		if s.retrainEvery > 1 && s.split == RollingOrigin {
			texts = append(texts, fmt.Sprintf("rolling origin, trained anew every %d origins on the windows known at the first "+
				"of them", s.retrainEvery))
		}
		for _, text := range texts {
			if !slices.Contains(names[text], s.Name) {
				names[text] = append(names[text], s.Name)
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(names)) {
		notes = append(notes, fmt.Sprintf("%s: %s.", text, strings.Join(names[text], "; ")))
	}
	return notes
}

// splitNotes returns the notes on one split: its interval, the chosen trials, and how much it leaks or how well
// targets that no input shows would forecast.
func (f *Forecasting) splitNotes(c comparison) ([]string, error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	splits, err := f.splits(setting{Row: untrained, split: c.split}, 0)
	if err != nil {
		return nil, err
	}
	notes := []string{c.over.Note}
	for _, row := range c.rows {
		if chosen := row.chosen(); chosen != "" {
			notes = append(notes, chosen)
		}
	}
	if c.split == Random {
		notes = append(notes, f.leak(splits))
	} else {
		oracle, err := oracle(series, splits)
		if err != nil {
			return nil, err
		}
		notes = append(notes, oracle)
	}
	for i, note := range notes { // they are printed together at the end of a page
		notes[i] = fmt.Sprintf("%s: %s", c.heading(), note)
	}
	return notes, nil
}

// size formats an error; the large error of a model that failed has few digits.
func size(err float64) string {
	if err >= 1000 {
		return fmt.Sprintf("%.1e", err)
	}
	return fmt.Sprintf("%.3f", err)
}

// chosen describes how often each trial of a tuned row was chosen; "" for other rows.
func (r row) chosen() string {
	names := r.Trials
	counts := make(map[string]int)
	for _, result := range r.Finished() {
		if t := result.Facts().Training; t != nil && t.Chosen < len(names) {
			counts[names[t.Chosen]]++
		}
	}
	var parts []string
	for _, name := range names {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d)", name, counts[name]))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("trials that %s chose, with the number of runs: %s.", r.Name, strings.Join(parts, "; "))
}

// leak describes how many of a split's training windows share steps with tested ones.
func (f *Forecasting) leak(splits []dyngraph.Split) string {
	training, sharing := 0, 0
	for _, s := range splits {
		training += len(s.Train)
		sharing += len(s.Train) - len(dyngraph.Purge(s.Train, s.Test))
	}
	return fmt.Sprintf("Training windows may share %ss with tested ones: %d of %d do with seed 0. That flatters whatever "+
		"is fitted.", f.Time, sharing, training)
}

// oracle describes the error of the targets of earlier snapshots, which no input shows.
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
