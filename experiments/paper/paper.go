// Package paper lists the studies of the paper, its claims, its tables and figures, and what to cite. Notebooks and the
// command line call the same code.
//
// Start with [Table1] and [Epidemics]: both have the methods of [experiments.Study], such as Run and Stored, and draw
// what their tables and figures show. [All] lists the studies. Each family of studies has a package: worlds (simulated
// node dynamics), series (Covid cases, mentions), sir (two epidemics to be told apart) and ranking (trade); what they
// share is in package catalogue.
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025; "published" means its tables and its authors' code.
package paper

import (
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// All lists the studies.
func All() []experiments.Study {
	return []experiments.Study{Epidemics().Study, Tennis().Study, Table1().Study, TableWealth().Study,
		WellPosed().Study, Contact().Study, Table1AsPublished().Study, SIR().Study, NodeAffinity().Study}
}

// Names lists the names of the studies.
func Names() (names []string) {
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// ByName finds a study; its error wraps [experiments.ErrInput].
func ByName(name string) (experiments.Study, error) {
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return experiments.Study{}, errs.New(experiments.ErrInput, "experiments: no study %q, %s", name,
		nearest.Want(name, Names()))
}
