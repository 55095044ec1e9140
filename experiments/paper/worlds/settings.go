package worlds

import (
	"cmp"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/law"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// settings returns the rows of fields with settings other than the published ones: one setting at a time from the
// published field to the affine one and beyond, the same field without A', and the other fields with the same
// settings. All of them train with a guard.
func settings(config pengcde.Config, training train.Config) (all []worldModel) {
	training = train.Recommended(training)
	add := func(id string, f field.Field, change ...func(*pengcde.Config, *train.Config)) {
		c, t := config, training
		c.Field = f
		for _, change := range change {
			change(&c, &t)
		}
		m, _ := catalogue.ByID(id)
		all = append(all, worldModel{Row: experiments.NetworkRow(id, cmp.Or(m.Name, id), c, t), maps: keptMaps(f)})
	}
	on := func(kind path.Kind) func(*pengcde.Config, *train.Config) {
		return func(c *pengcde.Config, _ *train.Config) { c.Path = kind }
	}
	recommended := pengcde.Recommended(config)
	linear := recommended.Field.(field.PENG)
	asRecommended := func(c *pengcde.Config, _ *train.Config) {
		c.Normalise, c.Path = recommended.Normalise, recommended.Path
	}
	tolerance := func(relative float64) func(*pengcde.Config, *train.Config) {
		return func(c *pengcde.Config, _ *train.Config) {
			pid := *c.Adaptive
			pid.RTol = relative
			c.Adaptive = &pid
		}
	}
	rate := func(rate float64) func(*pengcde.Config, *train.Config) {
		return func(_ *pengcde.Config, t *train.Config) { t.AdamW.LearningRate = rate }
	}
	cosine := func(rate float64, epochs int) func(*pengcde.Config, *train.Config) {
		return func(_ *pengcde.Config, t *train.Config) {
			t.AdamW.LearningRate, t.Epochs = rate, min(epochs, t.Epochs)
			t.Schedule = train.Schedule{Kind: train.Cosine}
			t.Patience = t.Epochs // the rate falls to the end
		}
	}
	ofA := func(f field.PENG) field.PENG {
		f.DerivativeIn = field.NoLayer
		return f
	}
	overGraph := field.Style{Norm: nn.Norm{Over: nn.GraphNorm}}
	smooth := field.WellPosed()
	smoothLinear := smooth
	smoothLinear.Linear = true
	feedback, unbounded := field.Affine(), field.Affine()
	feedback.Style.Feedback = true
	unbounded.Style = field.Style{Norm: nn.Norm{Over: nn.NoNorm}, Activation: nn.HyperbolicTangent}
	average := func(_ *pengcde.Config, t *train.Config) { t.Average = 0.98 }

	add("peng-norm", field.PENG{Style: overGraph})
	add("peng-last", field.PENG{Style: overGraph, DerivativeIn: field.LastLayer})
	add("peng-silu", field.PENG{Style: smooth, DerivativeIn: field.LastLayer})
	add("affine-hermite", field.Affine())
	add("affine", field.Affine(), on(path.Ramp))
	add("affine-rectilinear", field.Affine(), on(path.Rectilinear))
	add("recommended", linear, asRecommended)
	add("affine-cosine", linear, asRecommended, cosine(0.02, 1000))

	add("of-a-hermite", ofA(field.Affine()))
	add("of-a", ofA(field.Affine()), on(path.Ramp))
	add("of-a-rectilinear", ofA(field.Affine()), on(path.Rectilinear))
	add("of-a-linear", ofA(linear), asRecommended)

	add("original-norm", field.Original{Style: overGraph})
	add("original-silu", field.Original{Style: smooth})
	add("original-affine", field.Original{Style: smooth, DerivativeIn: field.LastLayer},
		on(path.Ramp))
	add("original-recommended", field.Original{Style: smoothLinear, DerivativeIn: field.LastLayer}, asRecommended)
	add("adjacency-norm", field.Adjacency{Style: overGraph})
	add("adjacency-silu", field.Adjacency{Style: smooth})
	add("adjacency-recommended", field.Adjacency{Style: smoothLinear}, asRecommended)
	add("gn-ode-norm", field.GNODE{Style: overGraph})
	add("gn-ode-silu", field.GNODE{Style: smooth})
	add("gn-ode-recommended", field.GNODE{Style: smoothLinear}, asRecommended)

	add("affine-feedback", feedback, on(path.Ramp))
	add("affine-tanh", unbounded, on(path.Ramp))
	add("affine-average", field.Affine(), on(path.Ramp), average)
	add("affine-rtol-1e-2", field.Affine(), on(path.Ramp), tolerance(1e-2))
	add("affine-rtol-1e-4", field.Affine(), on(path.Ramp), tolerance(1e-4))
	add("affine-rate-3e-3", field.Affine(), on(path.Ramp), rate(0.003))
	add("affine-rate-3e-2", field.Affine(), on(path.Ramp), rate(0.03))

	add("peng-guard", field.PENG{})

	return append(all, worldModel{Row: experiments.BaselineRow(catalogue.LawID, &law.LeastSquares{})},
		worldModel{Row: experiments.BaselineRow("law-of-a", &law.LeastSquares{OfA: true})})
}

// keptMaps returns the maps whose weights are stored, nil for fields other than PENG and for separate maps of A'.
func keptMaps(f field.Field) []equivariant.Map {
	peng, ok := f.(field.PENG)
	switch {
	case !ok || peng.DerivativeMaps != nil:
		return nil
	case peng.Maps != nil:
		return peng.Maps
	}
	return equivariant.Published8()
}
