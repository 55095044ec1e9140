// Package catalogue contains what the studies share: models with their styles, the paper's printed values, and
// helpers for figures and pages.
package catalogue

// IDs of rows that are used in several packages.
const (
	LawID        = "law"
	AffineID     = "affine"
	AffineName   = "PENG-CDE affine"
	ResidualID   = "residual"
	PersistentID = "persistent"
	// PreciseID is the row that shows what steps cost: PENG-CDE with error-controlled steps that end on each
	// observation. It is compared with the same model at constant steps, whose length ignores the observations
	// between them.
	PreciseID = "peng-precise"
	// SteadyID is the row of the affine field with constant steps along cubics, whose number does not grow with the
	// observations.
	SteadyID = "affine-steady"
	// RatioID is the row of the classifier without training, InferenceID the row that measures times.
	RatioID     = "removed-ratio"
	InferenceID = "inference"
	// Rows of one model have its ID followed by one of these endings.
	PublishedEnding = "-as-published"
	TunedEnding     = "-tuned"
)

const AffineNote = AffineName + ": ours, not the paper's. A controlled differential equation in the strict sense, " +
	"affine in A': A' in the last layer alone, a norm over the graph, SiLU, a path that stays within the observations, " +
	"adaptive steps, and a training that solves a batch without a usable gradient again. PENG-CDE has the same sizes " +
	"and learning rate."

// Width is the width of a model's hidden layers or state, and the number of its layers; for ASTGCN, the number of
// polynomials.
type Width struct{ Hidden, Layers int }

// Simulated data sets use the seeds of the published code. The seeds of successive runs are [WorldSeeds] apart.
const (
	TrainingSeed, ValidationSeed, TestSeed = 1234, 1734, 2734
	WorldSeeds                             = 10_000
)
