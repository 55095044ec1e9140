package worlds

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
)

// WellPosed returns our own study with the worlds and the protocol of [Table1]. It asks which settings of a field let
// it train, changing one at a time from the published field to the affine one, in the same way for all fields; and
// whether A' helps in these worlds. Settings are chosen on community and power-law graphs, where all rows run. They
// are confirmed on grids and small worlds, where a few rows run. Profile full has 400 nodes and runs the confirmed
// rows.
func WellPosed() *Worlds {
	return Worlds{
		Study: experiments.Study{Name: "well-posed", Title: "Which settings train", Data: simulated,
			About: prose.About("well-posed", "sizes"),
			Like:  []string{"table1", "ablations"}},
		tasks: []synthetic.Task{synthetic.Heat, synthetic.Gene}, size: wellPosedSize,
		subjects: []string{"recommended"}, rivalsOf: others(confirmed, "recommended"),
		compared: trainingOf, opening: drawWellPosed,
		drawn: noFurtherFigures,
	}.complete()
}

// confirmed lists the rows on all families and at 400 nodes: PENG as published, affine and recommended, and other
// fields with the recommended settings.
var confirmed = []string{"peng", "affine", "recommended", "of-a-linear", "original-recommended",
	"adjacency-recommended", "gn-ode-recommended"}

func wellPosedSize(p experiments.Profile) worldsSize {
	size := publishedSize(p)
	switch p {
	case experiments.Full:
		size.models = confirmed
	case experiments.Medium:
		size.models = []string{"peng", "peng-norm", "peng-last", "peng-silu", "affine-hermite", "affine",
			"affine-rectilinear", "recommended", "affine-cosine", "of-a-hermite", "of-a", "of-a-rectilinear", "of-a-linear",
			"original", "original-norm", "original-silu", "original-affine", "original-recommended", "adjacency",
			"adjacency-norm", "adjacency-silu", "adjacency-recommended", "gn-ode", "gn-ode-norm", "gn-ode-silu",
			"gn-ode-recommended", "affine-feedback", "affine-tanh", "affine-average",
			"affine-rtol-1e-2", "affine-rtol-1e-4", "affine-rate-3e-3", "affine-rate-3e-2", "peng-guard"}
		size.except = notConfirmed
	case experiments.Quick:
		size.models = []string{"peng", "affine"}
	}
	return size
}

// notConfirmed reports whether a row is left out on a family: rows that are not confirmed run only on the families on
// which settings are chosen.
func notConfirmed(model, family string) bool {
	return family != "community" && family != "power law" && !slices.Contains(confirmed, model)
}
