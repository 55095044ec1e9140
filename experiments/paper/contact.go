package paper

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// Contact is a study of ours: exchange at contact, where the change of the graph itself moves the states, by the
// protocol of [Table1]. On community graphs κ goes from 0, where it is slow diffusion, to 0.3; with κ 0.2 it is on four
// families. Its runs have the key "kappa" too.
func Contact() *Worlds {
	const dynamics, shown = "contact", "0.2"
	return Worlds{
		Study: experiments.Study{Name: "contact", Title: "Exchange at contact", Data: simulated, About: aboutContact},
		tasks: []synthetic.Task{synthetic.Contact(contactKappa)}, worlds: contactWorlds, size: contactSize,
		views: []view{
			{name: "by κ on community graphs", columns: kappaKey, values: ofKappa,
				keys: map[string]string{"dynamics": dynamics, "family": "community"}},
			{name: "by graphs at κ " + shown, columns: "family", values: ofGraphs,
				keys: map[string]string{"dynamics": dynamics, kappaKey: shown}},
		},
		picture: map[string]string{kappaKey: shown}, subject: contactSubjects[0],
		rivalsOf: others(contactModels, contactSubjects[0]), compared: contactCompared,
	}.complete()
}

const (
	kappaKey = "kappa"
	// contactKappa is the one on all families.
	contactKappa = 0.2
)

// contactModels are the rows, contactSubjects those that the others are compared with, by ID.
var (
	contactModels = []string{"constant", "gn-ode", "gn-ode-silu", "adjacency", "original", "peng", "affine", "of-a",
		"recommended", "of-a-linear", "law", "law-of-a"}
	contactSubjects = []string{"recommended", "law"}
)

// contactSize has the sizes of the published tables.
func contactSize(p experiments.Profile) worldsSize {
	size := publishedSize(p)
	size.models, size.kappas = contactModels, []float64{0, 0.1, contactKappa, 0.3}
	if p == experiments.Quick {
		size.models, size.kappas = []string{"constant", "gn-ode", "peng"}, []float64{0, contactKappa}
		size.families = families("community")
	}
	return size
}

// contactWorlds has all κ on communities, and the one on all families.
func contactWorlds(size worldsSize) (all []worldOf) {
	for _, kappa := range size.kappas {
		task := synthetic.Contact(kappa)
		for _, family := range size.families {
			if kappa == contactKappa || family.Name() == "community" {
				of := newWorldOf(task, family)
				of.keys[kappaKey] = strconv.FormatFloat(kappa, 'g', -1, 64)
				all = append(all, of)
			}
		}
	}
	return all
}

var contactNotes = figures.NoteList{
	"contact: x' = 0.1 (A − D) x between events, and at an event, where the graph changes by ΔA, the states move at " +
		"once along dx_i/ds = κ Σ_j ΔA_ij (x_j − x_i), s from 0 to 1: an edge that comes lets its nodes exchange, one that " +
		"goes takes the exchange back. Observations at an event show the moved states. Initial rectangles have amplitudes " +
		"from U(25, 40) as for heat; at each of 12 events 4% of the edges go and 0.2% of the pairs gain one, twice the " +
		"shares of the paper's worlds. All of it is ours.",
}

// contactCompared shows the test errors of some models beside the errors of the others: by κ, and with the larger κ
// together.
func contactCompared(r *experiments.Report) (*figures.Table, error) {
	t := &figures.Table{Title: fmt.Sprintf("%s: test errors of pairs of models by κ, profile %s", r.Study.Name, r.Profile),
		Columns: []figures.Column{{Title: "model beside another"}}}
	var columns []experiments.Results
	for _, kappa := range r.Results.Values(kappaKey) {
		columns = append(columns, r.Results.Where(kappaKey, kappa))
		t.Columns = append(t.Columns, figures.Column{Title: "κ " + kappa})
	}
	var strong experiments.Results
	for _, result := range r.Results {
		if kappa, err := strconv.ParseFloat(result.Keys[kappaKey], 64); err != nil {
			return nil, fmt.Errorf("experiments: kappa of %v: %w", result.Run, err)
		} else if kappa >= contactKappa {
			strong = append(strong, result)
		}
	}
	columns = append(columns, strong)
	t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("κ %g and more", contactKappa)})
	pairs, err := contrast(columns, contactSubjects, r.Models())
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		cells := []figures.Cell{figures.Text(pair.model + " beside " + pair.other)}
		for _, text := range pair.columns {
			cells = append(cells, figures.Text(text))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = []string{"Test errors of pairs of models by κ: the mean over worlds (their number in brackets), paired by " +
		"family of graphs and seed, of the logarithm of their ratio, as how much lower or higher the first one's error " +
		"is; p of signed ranks over worlds, corrected by Holm over the table, where there are worlds enough to show " +
		"anything. Worlds of one seed with two κ have the same draws, so that they depend on each other."}
	return t, nil
}

// others are the IDs of models but one.
func others(ids []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == but })
}
