// Package tgn ranks affinities with temporal graph networks, which keep a memory for each node. Each event leaves a
// message at its two nodes; the messages update the memories, and a forecast reads the memory of a node, and of the
// nodes of its newest events.
//
// [Network] is an [affinity.Trainer]. Its settings give several published networks: [TGN], [TGNv2], [DyRep] and
// [JODIE].
package tgn

import (
	"cmp"

	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ErrInput is wrapped by errors about settings that do not fit.
var ErrInput = errs.ErrInput

// Updater is the recurrent cell that updates a memory.
type Updater string

const (
	// GRU is a gated recurrent unit.
	GRU Updater = "gru"
	// RNN is tanh(W x + U h + b).
	RNN Updater = "rnn"
)

// Embedding is how a forecast reads the memories.
type Embedding string

const (
	// Attention is a transformer convolution over a node's newest events. Y. Shi et al., Masked Label Prediction:
	// Unified Message Passing Model for Semi-Supervised Classification, IJCAI 2021.
	Attention Embedding = "attention"
	// Projection is the memory times a linear function of the time since the node's last event, as in JODIE.
	Projection Embedding = "projection"
)

// Config gives the settings of a network. The zero value is [TGN] with the hyperparameters of TGB.
type Config struct {
	Updater   Updater   `json:"Updater,omitzero"`   // "" means GRU
	Embedding Embedding `json:"Embedding,omitzero"` // "" means Attention
	// SourceTarget adds the encoded numbers of the two nodes to a message: cos(w u + b) for node u, with learned w and
	// b. Scores then depend on how nodes are numbered.
	SourceTarget bool `json:"SourceTarget,omitzero"`
	// EmbeddedMessages puts the embedding of an event's other node in a message in place of its memory, as it is before
	// the event's batch.
	EmbeddedMessages bool `json:"EmbeddedMessages,omitzero"`
	// Width is the width of memories, encoded times and embeddings; 0 means 100.
	Width int `json:"Width,omitzero"`
	// Neighbours is the number of newest events of a node that Attention reads; 0 means 10. Heads is the number of its
	// heads, which divides Width; 0 means 2. Dropout is the rate at which it drops weights in training; 0 means 0.1,
	// [NoDropout] means none.
	Neighbours int     `json:"Neighbours,omitzero"`
	Heads      int     `json:"Heads,omitzero"`
	Dropout    float64 `json:"Dropout,omitzero"`
	// Batch is the number of events after which memories are updated; 0 means 200. The last event of a call of Observe,
	// such as the last one before a question, ends a batch too.
	Batch int `json:"Batch,omitzero"`
	// Training configures the training; with Epochs 0 it is TGB's, Training(50, 50, 1e-4).
	Training train.Config `json:"-"`
	// Seed draws the parameters, as float64 with Float64, else as float32.
	Seed    uint64 `json:"-"`
	Float64 bool   `json:"Float64,omitzero"`
}

// TGN returns the temporal graph network of E. Rossi et al., Temporal Graph Networks for Deep Learning on Dynamic
// Graphs, arXiv:2006.10637, 2020.
func TGN() Config { return Config{} }

// TGNv2 returns a TGN whose messages identify their nodes. B. A. Tjandra, F. Barbero, M. Bronstein, Enhancing the
// Expressivity of Temporal Graph Networks through Source-Target Identification, arXiv:2411.03596, 2024.
func TGNv2() Config { return Config{SourceTarget: true} }

// DyRep returns a network with a plain recurrent cell whose messages have embeddings of the other node. R. Trivedi, M.
// Farajtabar, P. Biswal, H. Zha, DyRep: Learning Representations over Dynamic Graphs, ICLR 2019. TGB's loop for node
// affinities leaves the embeddings out: Config{Updater: RNN}.
func DyRep() Config { return Config{Updater: RNN, EmbeddedMessages: true} }

// JODIE returns a network with a plain recurrent cell and projected memories. S. Kumar, X. Zhang, J. Leskovec,
// Predicting Dynamic Embedding Trajectory in Temporal Interaction Networks, KDD 2019.
func JODIE() Config { return Config{Updater: RNN, Embedding: Projection} }

// NoDropout stands for a Config.Dropout of 0.
const NoDropout = -1

// Training returns the training of TGB's loop: at most a number of epochs, each with a validation, and AdamW at a rate
// without decay of weights or a bound on gradients.
func Training(epochs, patience int, rate float64) train.Config {
	return ranker.Training(epochs, patience, rate)
}

// activations is about how many entries the widest layer has for a node: the gates of its memory and its neighbours'.
func (c Config) activations() int { return (c.Neighbours + 1) * 3 * c.Width }

func (c Config) withDefaults() (Config, error) {
	c.Updater, c.Embedding = cmp.Or(c.Updater, GRU), cmp.Or(c.Embedding, Attention)
	c.Width, c.Neighbours, c.Heads = cmp.Or(c.Width, 100), cmp.Or(c.Neighbours, 10), cmp.Or(c.Heads, 2)
	c.Batch, c.Dropout = cmp.Or(c.Batch, 200), cmp.Or(c.Dropout, 0.1)
	if c.Dropout == NoDropout {
		c.Dropout = 0
	}
	if c.Training.Epochs == 0 {
		c.Training = Training(50, 50, 1e-4)
	}
	switch {
	case c.Updater != GRU && c.Updater != RNN:
		return c, errs.New(ErrInput, "affinity/tgn: updater %q, want %q or %q", c.Updater, GRU, RNN)
	case c.Embedding != Attention && c.Embedding != Projection:
		return c, errs.New(ErrInput, "affinity/tgn: embedding %q, want %q or %q", c.Embedding, Attention, Projection)
	case c.Width < 1 || c.Width > nn.MaxWidth || c.Heads < 1 || c.Width%c.Heads != 0:
		return c, errs.New(ErrInput, "affinity/tgn: width %d and %d heads, want a width from 1 to %d that the heads divide",
			c.Width, c.Heads, nn.MaxWidth)
	case c.Neighbours < 1 || c.Batch < 1:
		return c, errs.New(ErrInput, "affinity/tgn: %d neighbours and batches of %d events, want 1 or more", c.Neighbours,
			c.Batch)
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return c, errs.New(ErrInput, "affinity/tgn: dropout %g, want 0 to below 1", c.Dropout)
	}
	return c, nil
}
