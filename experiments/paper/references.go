package paper

import (
	"context"
	_ "embed" // for references.bib
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

//go:embed references.bib
var bibliography string

// always lists the keys that every citation includes: this library and the paper.
var always = []string{"pengcde-go", "peng-cde"}

// defaultModel is the name of the model that own data get.
const defaultModel = "peng-cde"

// cited maps studies to keys of references, in addition to [always]; the catalogue has the keys of models.
var cited = map[string][]string{
	"table1": {"network-dynamics"}, "table1-as-published": {"network-dynamics"}, "table-wealth": {"network-dynamics"},
	"well-posed": {"network-dynamics"}, "ablations": {"network-dynamics"}, "contact": {"network-dynamics"},
	"sir":       {"network-dynamics"},
	"epidemics": {"pgt", "covid"}, "twitter-tennis": {"pgt"}, "node-affinity": {"tgb"},
	defaultModel: {"equivariant-maps", "neural-cde"},
}

// References returns the BibTeX to cite for models and studies, by IDs and names as in [All]: this library, the
// paper, and the authors of the method or data. Our own models and simple forecasts add no entry. The error for an
// unknown name wraps [experiments.ErrInput].
func References(ctx context.Context, names ...string) (string, error) {
	citable, err := Citable(ctx)
	if err != nil {
		return "", err
	}
	keys := slices.Clone(always)
	for _, name := range names {
		if !slices.Contains(citable, name) {
			return "", errs.New(experiments.ErrInput, "experiments: nothing to cite for %q of studies and models, %s", name,
				nearest.Want(name, citable))
		}
		model, _ := catalogue.ByID(name)
		keys = slices.Concat(keys, cited[name], model.Cites)
	}
	var entries []string
	for _, entry := range entriesOf(bibliography) {
		if slices.Contains(keys, keyOf(entry)) {
			entries = append(entries, entry)
		}
	}
	return strings.Join(entries, "\n\n") + "\n", nil
}

// Citable returns the names of studies, the IDs of their models, and the name of the model that own data get.
func Citable(ctx context.Context) (all []string, err error) {
	all = []string{defaultModel}
	for _, study := range All() {
		all = append(all, study.Name)
		for _, profile := range experiments.Profiles() {
			runs, err := study.Plan(ctx, experiments.Scope{Profile: profile, Seeds: []uint64{0}})
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				all = append(all, run.Model.ID)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// entriesOf splits a bibliography at the blank lines between its entries.
func entriesOf(bib string) []string { return strings.Split(strings.TrimSpace(bib), "\n\n") }

func keyOf(entry string) string {
	_, rest, _ := strings.Cut(entry, "{")
	key, _, _ := strings.Cut(rest, ",")
	return key
}
