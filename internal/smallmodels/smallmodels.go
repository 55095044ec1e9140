// Package smallmodels has a small model for each head and each network, with windows to train it on, for tests that
// check the numbers and files of all models.
package smallmodels

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

// Model is a configuration with windows that it trains on.
type Model struct {
	Name    string
	Config  pengcde.Config
	Windows []dyngraph.Window
	// Own is the value that Load needs for a custom field or network; otherwise nil.
	Own any
}

// All lists them: heads with the default field, the affine field, networks, then a custom field and a custom network.
func All() (all []Model, err error) {
	short, err := windows(1)
	if err != nil {
		return nil, err
	}
	series, err := whole(nil)
	if err != nil {
		return nil, err
	}
	labelled, err := whole(func(i int) float64 { return float64(i % 2) })
	if err != nil {
		return nil, err
	}
	add := func(name string, windows []dyngraph.Window, change func(*pengcde.Config)) {
		c := pengcde.Config{Nodes: nodes, Features: features, Hidden: 3, Layers: 1,
			Equation: pengcde.Equation{Step: 0.5, LinearCoders: true}, Seed: 7}
		change(&c)
		all = append(all, Model{Name: name, Config: c, Windows: windows})
	}
	discrete := func(name string, windows []dyngraph.Window, network sequence.Network, inputs int) {
		add(name, windows, func(c *pengcde.Config) {
			*c = pengcde.Config{Nodes: nodes, Features: features, Network: network,
				Input: pengcde.Input{Inputs: inputs}, Seed: 7}
		})
	}
	add("head node", short, func(c *pengcde.Config) { c.LinearCoders = false })
	add("head node, residual", short, func(c *pengcde.Config) { c.Head = head.Nodes{Residual: true} })
	add("head time", series, func(c *pengcde.Config) { c.Head = head.Nodes{At: head.AtEach} })
	add("head graph", series, func(c *pengcde.Config) { c.Head, c.Product = head.Summed{}, equivariant.Sparse })
	add("head class", labelled, func(c *pengcde.Config) { c.Head, c.Outputs = head.Class{}, 2 })
	add("head affinity", short, func(c *pengcde.Config) {
		c.Head, c.Outputs, c.RowFeatures = head.Ranking{}, classes, 2
	})
	add("head affinity, pairs", short, func(c *pengcde.Config) {
		c.Head, c.Outputs = head.Ranking{Pairs: true, Residual: true}, classes
	})
	add("head linear", short, func(c *pengcde.Config) { c.Head = head.Corrected{Linear: head.Linear{Values: 3}} })
	add("field affine", short, func(c *pengcde.Config) { c.Field, c.Layers = field.Affine(), 2 })
	add("network stg-ncde", short, func(c *pengcde.Config) { c.Field = rivals.STGNCDE{} })
	discrete("network dcrnn", series, rivals.DCRNN{Hidden: 3, Layers: 1, Order: 2}, 0)
	discrete("network astgcn", short, rivals.ASTGCN{Filters: 3}, 3)
	discrete("network stidgcn", short, rivals.STIDGCN{Channels: 2, Dropout: rivals.NoDropout}, 3)
	diffusion, neighbours := Diffusion{Hidden: 3}, Neighbours{Hidden: 3}
	add("own field", short, func(c *pengcde.Config) { c.Field = diffusion })
	discrete("own network", short, neighbours, 0)
	all[len(all)-2].Own, all[len(all)-1].Own = diffusion, neighbours
	for _, m := range all {
		if len(m.Windows) < 2 {
			return nil, fmt.Errorf("smallmodels: %s has %d windows, want 2 or more", m.Name, len(m.Windows))
		}
	}
	return all, nil
}
