package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Rows of one model have its ID and these endings.
const (
	publishedEnding = "-as-published"
	tunedEnding     = "-tuned"
)

// contender is a model with the settings of its rows: with the published hyperparameters, with the defects of the
// published code too, and tuned.
type contender struct {
	id, name string
	// matrix is how the model reads the graph, as tables name it, and defectiveMatrix how with the defects; "" for not
	// at all.
	matrix, defectiveMatrix string
	published               width
	mended, defects         func(width) pengcde.Config
	training                train.Config
	// sizes are the sizes of trials, small ones first, and tried their control; "" for the control of the published rows.
	sizes []width
	tried dyngraph.Normalisation
	// alone has the row with the published hyperparameters and no others, with a note.
	alone bool
	note  string
	// stride and retrainEvery are as in [setting].
	stride, retrainEvery int
}

// rows says how many seeds each row of a contender has on every split, and the budget of the tuned row: so many sizes
// by readouts by learning rates.
type rows struct {
	mended, defects, tuned map[Split]int
	sizes                  int
	rates                  []float64
}

func (r rows) of(c contender) []setting {
	on := func(m experiments.Model, matrix string, seeds map[Split]int) []setting {
		s := setting{Model: m, matrix: matrix, stride: c.stride, retrainEvery: c.retrainEvery}
		return s.on(seeds)
	}
	mended := experiments.Network(c.id, c.name, c.mended(c.published), c.training)
	mended.Note = c.note
	if c.alone {
		return on(mended, c.matrix, r.mended)
	}
	defects := experiments.Network(c.id+publishedEnding, c.name+", as published", c.defects(c.published), c.training)
	defects.Note = asPublishedNote
	trials := r.trials(c)
	tuned := experiments.Tuned(c.id+tunedEnding, c.name+", tuned", trials)
	tuned.Note = fmt.Sprintf(tunedNote, len(trials), tuning.Epochs, tuning.BatchSize)
	triedMatrix := c.matrix
	if c.tried != "" {
		triedMatrix = string(c.tried)
	}
	return slices.Concat(on(mended, c.matrix, r.mended), on(tuned, triedMatrix, r.tuned),
		on(defects, c.defectiveMatrix, r.defects))
}

// affineID is the row of the recommended configuration, with the sizes of the published one.
const affineID, affineName = "affine", "PENG-CDE, affine"

const affineNote = affineName + ": ours, not the paper's. A controlled differential equation in the strict sense, " +
	"affine in A': A' in the last layer alone, a norm over the graph, SiLU, a path that stays within the observations, " +
	"adaptive steps, and a training that solves a batch without a usable gradient again. PENG-CDE has the same sizes " +
	"and learning rate."

const (
	asPublishedNote = "as published: with the published hyperparameters and the defects of the published code: raw " +
		"weights as control of the equations and in DCRNN; a loss that forgets which node is which, of PENG-CDE, Original " +
		"GN-CDE, GN-ODE and STG-NCDE; ASTGCN with entrywise polynomials of a learned matrix in place of the graph; STIDGCN " +
		"with one frozen dropout mask. On random splits alone, as in the paper. Rows of the bare name have the same " +
		"hyperparameters and none of these. Profile full has the published steps and epochs (2000 of DCRNN, ASTGCN and " +
		"STIDGCN, else 200); the others have at most 200 epochs and longer, constant steps, but for the adaptive ones of " +
		"GN-ODE and STG-NCDE as published."
	tunedNote = "tuned: each run trains %d trials on its training windows, for at most %d epochs in batches of %d, " +
		"stops each by its validation windows, and forecasts with the trial of the least validation error. All models have " +
		"as many: sizes of their own, each with a readout of the target or of its deviation from the node's recent mean, " +
		"and where there are several with each learning rate; equations with the normalised adjacency as control, since a " +
		"Laplacian's sums vanish. No tested window is looked at."
)

// tuning stops a trial early: with residual readouts the best epochs are the first. Batches of four windows take less
// than half the time of single ones.
var tuning = train.Config{Epochs: 60, EvaluateEvery: 2, Patience: 10, MinEpochs: 8, BatchSize: 4}

// trials returns all combinations of sizes, readouts and learning rates.
func (r rows) trials(c contender) (all []experiments.Model) {
	for _, w := range c.sizes[:r.sizes] {
		for _, residual := range []bool{false, true} {
			for _, rate := range r.rates {
				config, training, name := c.mended(w), tuning, fmt.Sprintf("width %d", w.hidden)
				config.Head, training.AdamW.LearningRate = head.Nodes{Residual: residual}, rate
				config.Normalise = cmp.Or(c.tried, config.Normalise)
				if residual {
					name += ", residual"
				}
				if len(r.rates) > 1 {
					name = fmt.Sprintf("%s, rate %g", name, rate)
				}
				all = append(all, experiments.Network(fmt.Sprint(len(all)), name, config, training))
			}
		}
	}
	return all
}
