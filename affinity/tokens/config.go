// Package tokens ranks affinities with networks that read the newest events of a node as a sequence of tokens. They
// keep no memory: an event that newer ones replace has no influence.
//
// [Network] is an [affinity.Trainer]. Its settings give published networks: [GraphMixer], [TCL], [DyGFormer], [TGAT]
// and [CAWN].
package tokens

import (
	"cmp"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ErrInput is wrapped by errors about settings that do not fit.
var ErrInput = errs.ErrInput

// Encoder is how a network reads its tokens.
type Encoder string

const (
	// Mixer mixes tokens, and the channels of each token, by perceptrons. I. Tolstikhin et al., MLP-Mixer: An all-MLP
	// Architecture for Vision, NeurIPS 2021.
	Mixer Encoder = "mixer"
	// Transformer lets tokens attend to each other.
	Transformer Encoder = "transformer"
	// Patches makes tokens of several events each, which attend to each other.
	Patches Encoder = "patches"
	// Hops attends to events twice: the nodes of a node's events have embeddings from their own earlier events. All
	// events are kept for it.
	Hops Encoder = "hops"
	// Walks reads walks of one step from the node to the nodes of its events, by features of both and by how often
	// walks are at them. They may be drawn from all events, see Config.Decay.
	Walks Encoder = "walks"
)

// Config gives the settings of a network. The zero value is [GraphMixer] with the published hyperparameters, except for
// its number of neighbours and its dropout.
type Config struct {
	Encoder Encoder `json:"Encoder,omitzero"` // "" means Mixer
	// Identities learns a vector for each node, its features. Without them nodes have no features, as in published runs
	// on data that have none, and look alike.
	Identities bool `json:"Identities,omitzero"`
	// Width is the width of tokens and embeddings; 0 means 172. TimeWidth is the width of encoded times; 0 means 100.
	Width     int `json:"Width,omitzero"`
	TimeWidth int `json:"TimeWidth,omitzero"`
	// Layers is the number of layers of the encoder; 0 means 2. Heads is the number of a transformer's heads, which
	// divides Width; 0 means 2.
	Layers int `json:"Layers,omitzero"`
	Heads  int `json:"Heads,omitzero"`
	// Patch is the number of events in a patch, Channel the width of each of its channels; 0 means 8 and 50. The heads
	// divide Channel, and Patch divides Neighbours+1.
	Patch   int `json:"Patch,omitzero"`
	Channel int `json:"Channel,omitzero"`
	// Neighbours is the number of newest events of a node; 0 means 20. Dropout is a rate in training; 0 means none.
	Neighbours int     `json:"Neighbours,omitzero"`
	Dropout    float64 `json:"Dropout,omitzero"`
	// Decay draws the events of Walks with replacement from all events of a node, each with a probability proportional to
	// exp(Decay t) at time t; 0 takes the newest events. A forecast draws the same events each time it is asked for, a
	// training draws others in each epoch.
	Decay float64 `json:"Decay,omitzero"`
	// Training configures the training; with Epochs 0 it is the published one: at most 100 epochs with patience 20, each
	// with a validation, and AdamW at rate 1e-4 without decay of weights or a bound on gradients.
	Training train.Config `json:"-"`
	// Seed draws the parameters, as float64 with Float64, else as float32.
	Seed    uint64 `json:"-"`
	Float64 bool   `json:"Float64,omitzero"`
}

// GraphMixer returns the network of W. Cong et al., Do We Really Need Complicated Model Architectures For Temporal
// Networks?, ICLR 2023. With Identities, a node's own vector plus the mean vector of the nodes of its events is its
// second part.
func GraphMixer() Config { return Config{Neighbours: 30, Dropout: 0.1} }

// TCL returns the network of L. Wang et al., TCL: Transformer-based Dynamic Graph Modelling via Contrastive Learning,
// arXiv:2105.07944, 2021, for a single node: a question has no second node, so the node attends to itself in the slot
// of the other.
func TCL() Config { return Config{Encoder: Transformer} }

// DyGFormer returns the network of L. Yu, L. Sun, B. Du, W. Lv, Towards Better Dynamic Graph Learning: New Architecture
// and Unified Library, NeurIPS 2023, for a single node, with sequences of length 256. Shorter ones are filled up to
// this length; published code fills them up to the longest of a batch.
func DyGFormer() Config { return Config{Encoder: Patches, Neighbours: 255, Dropout: 0.1} }

// TGAT returns the network of D. Xu, C. Ruan, E. Korpeoglu, S. Kumar, K. Achan, Inductive Representation Learning on
// Temporal Graphs, ICLR 2020, with two layers.
func TGAT() Config { return Config{Encoder: Hops, Dropout: 0.2} }

// CAWN returns the network of Y. Wang, Y. Chang, Y. Liu, J. Leskovec, P. Li, Inductive Representation Learning in
// Temporal Networks via Causal Anonymous Walks, ICLR 2021, with the walks of one step of published code, for a single
// node: where published code counts how often a node is on the walks of both ends of an edge, only its own are counted.
func CAWN() Config {
	return Config{Encoder: Walks, Neighbours: 32, Heads: 8, Layers: 1, Dropout: 0.1, Decay: 1e-6}
}

var encoders = []Encoder{Mixer, Transformer, Patches, Hops, Walks}

func (c Config) withDefaults() (Config, error) {
	c.Encoder = cmp.Or(c.Encoder, Mixer)
	c.Width, c.TimeWidth = cmp.Or(c.Width, 172), cmp.Or(c.TimeWidth, 100)
	c.Layers, c.Heads, c.Neighbours = cmp.Or(c.Layers, 2), cmp.Or(c.Heads, 2), cmp.Or(c.Neighbours, 20)
	c.Patch, c.Channel = cmp.Or(c.Patch, 8), cmp.Or(c.Channel, 50)
	if c.Training.Epochs == 0 {
		c.Training = ranker.Training(100, 20, 1e-4)
	}
	switch {
	case !slices.Contains(encoders, c.Encoder):
		return c, errs.New(ErrInput, "affinity/tokens: encoder %q, want one of %q", c.Encoder, encoders)
	case c.Width < 1 || c.Width > nn.MaxWidth || c.Heads < 1 || c.Encoder != Walks && c.Width%c.Heads != 0:
		return c, errs.New(ErrInput, "affinity/tokens: width %d and %d heads, want a width from 1 to %d that the heads "+
			"divide", c.Width, c.Heads, nn.MaxWidth)
	case c.TimeWidth < 1 || c.TimeWidth > nn.MaxWidth || c.Layers < 1 || c.Layers > nn.MaxLayers:
		return c, errs.New(ErrInput, "affinity/tokens: %d layers and times of width %d, want 1 to %d and 1 to %d", c.Layers,
			c.TimeWidth, nn.MaxLayers, nn.MaxWidth)
	case c.Neighbours < 2:
		return c, errs.New(ErrInput, "affinity/tokens: %d neighbours, want 2 or more", c.Neighbours)
	case c.Encoder == Hops && ((c.Width+c.TimeWidth)%c.Heads != 0 || c.Layers != 2):
		return c, errs.New(ErrInput, "affinity/tokens: hops with %d layers, widths %d and %d and %d heads, want 2 layers "+
			"and a sum of widths that the heads divide", c.Layers, c.Width, c.TimeWidth, c.Heads)
	case !(c.Decay >= 0) || math.IsInf(c.Decay, 1) || c.Decay > 0 && c.Encoder != Walks:
		return c, errs.New(ErrInput, "affinity/tokens: decay %g of encoder %q, want 0 or more for %q, and 0 for others",
			c.Decay, c.Encoder, Walks)
	case c.Encoder == Walks && c.Width < 2:
		return c, errs.New(ErrInput, "affinity/tokens: walks of width %d, want 2 or more", c.Width)
	case c.Encoder == Patches && (c.Patch < 1 || (c.Neighbours+1)%c.Patch != 0 || c.Channel < 1 ||
		c.Channel > nn.MaxWidth || c.Channel%c.Heads != 0):
		return c, errs.New(ErrInput, "affinity/tokens: patches of %d events with channels of width %d and %d heads, want a "+
			"number that divides %d neighbours and the node, and a width that the heads divide", c.Patch, c.Channel, c.Heads,
			c.Neighbours)
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return c, errs.New(ErrInput, "affinity/tokens: dropout %g, want 0 to below 1", c.Dropout)
	}
	return c, nil
}

// activations is about how many entries the widest layer has for a node.
func (c Config) activations() int {
	tokens := c.Neighbours + 1
	switch c.Encoder {
	case Hops:
		return tokens * c.Neighbours * 3 * (c.Width + c.TimeWidth)
	case Patches:
		return tokens * (tokens + c.Channel + c.TimeWidth)
	}
	return tokens * 4 * (c.Width + c.TimeWidth)
}
