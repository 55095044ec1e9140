// Package paper lists the studies of the paper, its claims, its tables and figures, and its references. Notebooks and
// the command line call the same code.
//
// Start with [Table1] and [Epidemics]. Both have the methods of [experiments.Study], such as Run and Stored, and draw
// the contents of their tables and figures. [All] lists the studies. Each family of studies has its own package:
// worlds (simulated node dynamics), series (Covid cases, mentions), sir (classification of epidemics) and ranking
// (trade). Package catalogue contains what they share.
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025. "Published" refers to its tables and its authors' code.
package paper

import (
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// All lists the studies.
func All() []experiments.Study {
	return []experiments.Study{Epidemics().Study, Tennis().Study, Table1().Study, TableWealth().Study,
		WellPosed().Study, Ablations().Study, Contact().Study, Table1AsPublished().Study, SIR().Study,
		NodeAffinity().Study}
}

// Names returns the names of the studies.
func Names() (names []string) {
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// ByName returns the study with a name; its error wraps [experiments.ErrInput].
func ByName(name string) (experiments.Study, error) {
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return experiments.Study{}, errs.New(experiments.ErrInput, "experiments: no study %q, %s", name,
		nearest.Want(name, Names()))
}
