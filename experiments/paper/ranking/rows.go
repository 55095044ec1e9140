package ranking

import (
	"cmp"
	"slices"
	"sync"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/learned"
	"github.com/peng-cde/pengcde-go/affinity/tgn"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// affinitySize holds the settings of a profile.
type affinitySize struct {
	seeds, rotated, hidden, layers, encoded, identities int
	step                                                float64
	training                                            train.Config
	// memory is the width of networks with memories, tokens the width of networks that read sequences of events, channel
	// the width of a channel of patches.
	memory, tokens, channel       int
	memoryTraining, tokenTraining train.Config
	protocols                     []Protocol
	// models lists the IDs of rows; nil means all.
	models []string
}

// affinitySizes returns the paper's sizes, or smaller ones for smaller machines.
func affinitySizes(p experiments.Profile) affinitySize {
	s := affinitySize{seeds: 10, rotated: rotated, hidden: 32, layers: 4, encoded: 8, identities: 512, step: 0.01,
		protocols: Protocols(), memory: 100, memoryTraining: tgn.Training(50, 50, 1e-4), tokens: 172, channel: 50,
		tokenTraining: tgn.Training(100, 20, 1e-4),
		training: train.Config{Epochs: 200, EvaluateEvery: 5, Patience: 15, MinEpochs: 20, BatchSize: 8,
			AdamW: train.AdamW{LearningRate: 0.01}}}
	switch p {
	case experiments.Medium:
		s.seeds, s.hidden, s.layers, s.encoded, s.identities, s.step = 3, 8, 2, 4, 16, 0.25
		s.memoryTraining, s.tokens, s.channel, s.tokenTraining = tgn.Training(20, 20, 1e-3), 32, 10,
			tgn.Training(50, 20, 1e-3)
	case experiments.Quick:
		s.seeds, s.rotated, s.hidden, s.layers, s.encoded, s.step = 1, 2, 4, 1, 2, 1
		s.training.Epochs, s.training.EvaluateEvery = 6, 2
		s.memory, s.memoryTraining = 8, tgn.Training(2, 2, 1e-3)
		s.tokens, s.channel, s.tokenTraining = s.memory, 4, s.memoryTraining
		s.protocols = []Protocol{OfficialStrict, YearRotation}
		s.models = []string{"zero", catalogue.PersistentID, "moving-average", "ridge", "log-linear", catalogue.ResidualID,
			"tgn"}
	}
	return s
}

// affinityRow is a row: a network, or a forecaster of package affinity, which is created again for each run.
type affinityRow struct {
	experiments.Row
	forecaster func() affinity.Forecaster // nil for a network
	config     pengcde.Config             // of a network, completed for a task
	prior      func() learned.Prior       // nil, or the gated state that a network corrects
	stream     *streamRow                 // of a network that learns from a stream of events, otherwise nil
}

// Forecaster returns a new forecaster of package affinity for the row; nil for a network.
func (r affinityRow) Forecaster() affinity.Forecaster {
	if r.forecaster == nil {
		return nil
	}
	return r.forecaster()
}

// with returns the forecaster of a network's model.
func (r affinityRow) with(model *pengcde.Model) *learned.Forecaster {
	f := &learned.Forecaster{Model: model}
	if r.prior != nil {
		f.Prior = r.prior()
	}
	return f
}

// of returns the row for a task, which is looked up when it is needed.
func (r affinityRow) of(task func() (affinity.Task, error)) affinityRow {
	if r.forecaster != nil {
		return r
	}
	if r.stream != nil {
		r.Settings = func() (any, error) { return r.stream.settings, nil }
		r.New = func(backend *xla.Backend) (experiments.Learner, error) {
			t, err := task()
			if err != nil {
				return nil, err
			}
			return r.stream.learner(backend, t)
		}
		return r
	}
	network := sync.OnceValues(func() (experiments.Row, error) {
		t, err := task()
		return experiments.NetworkRow(r.ID, r.Name, learned.Config(r.config, t), r.Train), err
	})
	r.New = func(backend *xla.Backend) (experiments.Learner, error) {
		m, err := network()
		if err != nil {
			return nil, err
		}
		return m.New(backend)
	}
	r.Settings = func() (any, error) {
		m, err := network()
		if err != nil {
			return nil, err
		}
		settings, err := m.Settings()
		if r.prior != nil && err == nil {
			prior := map[string]any{"forecaster": "*affinity.GatedState", "settings": r.prior()}
			settings = map[string]any{"network": settings, "prior": prior}
		}
		return settings, err
	}
	return r
}

// without reports whether a profile leaves out a row.
func (s affinitySize) without(id string) bool {
	return s.models != nil && !slices.Contains(s.models, id)
}

// gatedResidualID is the row of a network that corrects the gated state.
const gatedResidualID = "gated-residual"

// gatedState is the forecast of the row of gated states, which gatedResidualID corrects.
func gatedState() *affinity.GatedState { return &affinity.GatedState{Epochs: 20, LearningRate: 0.01} }

// rows lists the rows of a profile for one data set.
func (s affinitySize) rows(data string) (all []affinityRow) {
	messages := 2048
	if data == "tgbn-token" {
		messages = 512
	}
	// The forecaster's name is in identities. It is a literal, so that renaming a type changes no identity.
	simple := func(id, forecaster, name, note string, create func() affinity.Forecaster) {
		if s.without(id) {
			return
		}
		all = append(all, affinityRow{forecaster: create, Row: experiments.Row{ID: id, Name: name, Note: note,
			Untrained: true, Settings: func() (any, error) {
				return map[string]any{"forecaster": forecaster, "settings": create()}, nil
			}}})
	}
	simple("zero", "affinity.Zero", "Zero",
		"Zero: equal scores for all classes, which share their mean gain.",
		func() affinity.Forecaster { return affinity.Zero{} })
	simple("mean", "*affinity.Mean", "Mean",
		"Mean: of all earlier labels of a node.",
		func() affinity.Forecaster { return &affinity.Mean{} })
	simple(catalogue.PersistentID, "*affinity.PersistentForecast", "Persistent Forecast (L)",
		"Persistent Forecast (L): the newest labels of a node.",
		func() affinity.Forecaster { return &affinity.PersistentForecast{} })
	simple("moving-average", "*affinity.MovingAverage", "Moving Average (L)",
		"Moving Average (L): m = ((W-1) m + labels) / W with W = 7.",
		func() affinity.Forecaster { return &affinity.MovingAverage{Window: 7} })
	simple("message-mean", "*affinity.MessageMean", "Moving Average (M) of last messages",
		prose.Text("message mean"), func() affinity.Forecaster { return &affinity.MessageMean{Last: messages} })
	simple("message-average", "*affinity.MessageAverage", "Moving Average (M) of steps",
		"",
		func() affinity.Forecaster { return &affinity.MessageAverage{Window: 7} })
	simple("ridge", "*affinity.Ridge", "Ridge",
		"Ridge: linear regression of the change of log(1 + 10⁴ weight) on the newest value, its "+
			"distance to the one before and to the moving average, the same for all pairs.",
		func() affinity.Forecaster { return &affinity.Ridge{Penalty: 1e-3} })
	simple("log-linear", "*affinity.LogLinear", "Log-linear",
		prose.Text("log-linear"), func() affinity.Forecaster { return &affinity.LogLinear{Penalty: 1e-4} })
	simple("gated-state", "*affinity.GatedState", "Gated state",
		"Gated state: a linear state-space model of each node between moving average and "+
			"newest labels, with learned gates and a ranking loss, in the manner of NAViS (arXiv 2510.06940); ours, not its "+
			"code.",
		func() affinity.Forecaster { return gatedState() })

	published := pengcde.Config{Hidden: s.hidden, Layers: s.layers,
		Input:    pengcde.Input{RowFeatures: s.encoded, Normalise: dyngraph.Raw},
		Equation: pengcde.Equation{LinearCoders: true, Step: s.step}}
	recommended := func(c *pengcde.Config) {
		c.Step = 0
		*c = pengcde.Recommended(*c)
	}
	corrects := func(c *pengcde.Config) { c.RowFeatures, c.Head = 0, head.Ranking{Pairs: true, Residual: true} }
	maps, derivative := equivariant.Published11()
	networks := []struct {
		id     string
		name   string // "" for the catalogue's name
		note   string
		field  field.Field
		change func(*pengcde.Config)
	}{
		{"stg-ncde", "", "", catalogue.Must("stg-ncde").Field, func(c *pengcde.Config) { c.Layers = 1 }},
		{"original", "", "", field.Original{}, nil},
		{"peng", "PENG-CDE with 8 maps", "", field.PENG{}, nil},
		{catalogue.AffineID, "", catalogue.AffineNote, nil, recommended},
		{"peng11", "", "", field.PENG{Maps: maps, DerivativeMaps: derivative}, nil},
		{"peng-identities", "", "PENG-CDE with identities: entries of A and A' depend on source and target " +
			"through learned functions of their numbers.", field.PENG{Identities: equivariant.Identities{Size: s.identities}},
			nil},
		{catalogue.ResidualID, "PENG-CDE with a log-linear part", prose.Text("residual"), field.PENG{}, corrects},
		{gatedResidualID, "", prose.Text("gated residual"), nil, func(c *pengcde.Config) {
			recommended(c)
			corrects(c)
		}},
	}
	for _, n := range networks {
		if s.without(n.id) {
			continue
		}
		c := published
		c.Field = n.field
		if n.change != nil {
			n.change(&c)
		}
		row := affinityRow{config: c, Row: experiments.Row{ID: n.id, Name: cmp.Or(n.name, catalogue.Must(n.id).Name),
			Note: n.note, Train: s.training}}
		if n.id == catalogue.ResidualID || n.id == gatedResidualID { // small steps away from its start
			row.Train.AdamW = train.AdamW{LearningRate: 1e-3, WeightDecay: 0.01}
		}
		if n.field == nil {
			row.Train = train.Recommended(row.Train)
		}
		if n.id == gatedResidualID {
			row.prior = func() learned.Prior { return gatedState() }
		}
		all = append(all, row)
	}
	return append(all, s.streams()...)
}
