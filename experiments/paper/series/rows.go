package series

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// contender is a model with the settings of its rows: with the published hyperparameters, with the defects of the
// published code too, and tuned.
type contender struct {
	id, name string
	// matrix names, as in tables, how the model reads the graph, and defectiveMatrix how it reads it with the
	// defects; "" if it does not.
	matrix, defectiveMatrix string
	published               catalogue.Width
	corrected, defects      func(catalogue.Width) pengcde.Config
	training                train.Config
	// sizes lists the sizes of trials, small ones first. tried is their control; "" for the control of the published
	// rows.
	sizes []catalogue.Width
	tried dyngraph.Normalisation
	// alone limits the model to the row with the published hyperparameters, with a note.
	alone bool
	note  string
	// stride and retrainEvery are as in [setting].
	stride, retrainEvery int
}

// rows sets the number of seeds of each row of a contender on every split, and the number of trials of the tuned row
// as sizes by readouts by learning rates.
type rows struct {
	corrected, defects, tuned map[Split]int
	sizes                     int
	rates                     []float64
}

func (r rows) of(c contender) []setting {
	on := func(m experiments.Row, v variant, matrix string, seeds map[Split]int) []setting {
		s := setting{Row: m, base: c.id, title: c.name, variant: v, matrix: matrix, stride: c.stride,
			retrainEvery: c.retrainEvery}
		return s.on(seeds)
	}
	corrected := experiments.NetworkRow(c.id, c.name, c.corrected(c.published), c.training)
	corrected.Note = c.note
	if c.alone {
		return on(corrected, standard, c.matrix, r.corrected)
	}
	defects := experiments.NetworkRow(c.id+catalogue.PublishedEnding, c.name+" as published", c.defects(c.published),
		c.training)
	defects.Note = asPublishedNote
	trials := r.trials(c)
	chosen := experiments.Tuned(c.id+catalogue.TunedEnding, c.name+" tuned", trials)
	chosen.Note = fmt.Sprintf(tunedNote, len(trials), tuning.Epochs, tuning.BatchSize)
	triedMatrix := c.matrix
	if c.tried != "" {
		triedMatrix = string(c.tried)
	}
	return slices.Concat(on(corrected, standard, c.matrix, r.corrected), on(chosen, tuned, triedMatrix, r.tuned),
		on(defects, asPublished, c.defectiveMatrix, r.defects))
}

var (
	asPublishedNote = prose.Text("as published")
	tunedNote       = prose.Text("tuned")
)

// tuning stops a trial early: with residual readouts the best epochs are the first. Batches of four windows take less
// than half the time of single windows.
var tuning = train.Config{Epochs: 60, EvaluateEvery: 2, Patience: 10, MinEpochs: 8, BatchSize: 4}

// trials returns all combinations of sizes, readouts and learning rates.
func (r rows) trials(c contender) (all []experiments.Row) {
	for _, w := range c.sizes[:r.sizes] {
		for _, residual := range []bool{false, true} {
			for _, rate := range r.rates {
				config, training, name := c.corrected(w), tuning, fmt.Sprintf("width %d", w.Hidden)
				config.Head, training.AdamW.LearningRate = head.Nodes{Residual: residual}, rate
				config.Normalise = cmp.Or(c.tried, config.Normalise)
				if residual {
					name += ", residual"
				}
				if len(r.rates) > 1 {
					name = fmt.Sprintf("%s, rate %g", name, rate)
				}
				all = append(all, experiments.NetworkRow(fmt.Sprint(len(all)), name, config, training))
			}
		}
	}
	return all
}
