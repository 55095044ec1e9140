package paper

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// width is the hidden width of a model and the number of its layers.
type width struct{ hidden, layers int }

// hyperparameters are the published ones for a data set.
type hyperparameters struct {
	peng, original, gnode width
}

var (
	covidHyperparameters  = hyperparameters{peng: width{64, 3}, original: width{32, 4}, gnode: width{32, 4}}
	tennisHyperparameters = hyperparameters{peng: width{64, 3}, original: width{8, 2}, gnode: width{32, 4}}
)

// contenders are the models of the paper's table of these data sets, for data of a size.
func contenders(p experiments.Profile, data pengcde.Config, h hyperparameters) []contender {
	step, training := 1., train.Config{}
	switch p {
	case experiments.Full:
		step = 0 // the published one
	case experiments.Quick:
		h = hyperparameters{peng: width{8, 1}, original: width{8, 1}, gnode: width{8, 1}}
		training = train.Config{Epochs: 8, EvaluateEvery: 2, Patience: 6, MinEpochs: 6}
	}
	of := func(f field.Field, w width) pengcde.Config {
		c := data
		c.Field, c.Hidden, c.Layers, c.Step = f, w.hidden, w.layers, step
		switch f.(type) {
		case field.GNODE, field.Constant:
			c.Step, c.Adaptive = 0, &ode.PID{}
		}
		return c
	}
	made := func(id, name string, field field.Field, w width) contender {
		f := contender{id: id, name: name, config: of(field, w), training: training, retrainEvery: 5}
		if p == experiments.Medium {
			f.retrainEvery = 10
		}
		f.defects = parity(f.config)
		for _, w := range []width{{8, 1}, {8, 2}, {16, 2}} {
			f.sizes = append(f.sizes, trialSize{fmt.Sprintf("%d layers of %d", w.layers, w.hidden), of(field, w)})
		}
		return f
	}
	peng := made("peng", "PENG-CDE", field.PENG{}, h.peng)
	if p == experiments.Medium {
		peng.stride = 2
	}
	return []contender{peng,
		made("original", "Original GN-CDE", field.Original{}, h.original),
		made("gn-ode", "GN-ODE", field.GNODE{}, h.gnode),
	}
}
