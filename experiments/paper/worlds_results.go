package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// WorldResults are the runs of an experiment on worlds that were asked for, those that are missing among them.
type WorldResults struct {
	Experiment Worlds
	Profile    Profile
	Standing
	// Records are all that is stored in this generation, errors too.
	Records []Record[WorldRun]
	// Runs are those that were made, failed ones among them; Errors say why others could not be.
	Runs   []WorldRun `json:"-"`
	Errors []string   `json:"-"`

	// planned are all, stale those of which only another generation is stored, elsewhere those that another backend
	// made.
	planned, stale, elsewhere []worldTask
}

func (r *WorldResults) add(t worldTask, f found[WorldRun]) {
	r.planned = append(r.planned, t)
	record := f.record
	if record == nil {
		if !f.missing() {
			r.stale = append(r.stale, t)
			r.Stale++
		}
		return
	}
	if f.elsewhere {
		r.elsewhere = append(r.elsewhere, t)
		r.Elsewhere[record.Backend]++
	}
	r.Records = append(r.Records, *record)
	if record.Error != "" {
		r.Errors = append(r.Errors, fmt.Sprintf("%s: %s", t.name, record.Error))
		return
	}
	run := *record.Run
	run.World, run.Model = t.World, t.Model // with what is not stored
	r.Runs = append(r.Runs, run)
}

func (r *WorldResults) errors() []string { return r.Errors }

// Count is the number of runs that are stored, and of all that were asked for.
func (r *WorldResults) Count() (stored, planned int) { return len(r.Runs), len(r.planned) }

// Models are the counts of each model.
func (r *WorldResults) Models() (counts []ModelCount) {
	for _, t := range r.planned {
		counts = count(counts, ModelCount{Model: t.Model.ID, Planned: 1})
	}
	for _, run := range r.Runs {
		counts = count(counts, ModelCount{Model: run.Model.ID, Stored: 1})
	}
	for _, t := range r.stale {
		counts = count(counts, ModelCount{Model: t.Model.ID, Stale: 1})
	}
	return counts
}

// of are the runs of a model in a world, and how many were planned.
func (r *WorldResults) of(dynamics, family, model string) (runs []WorldRun, planned int) {
	for _, run := range r.Runs {
		if run.World.Dynamics == dynamics && run.World.Family == family && run.Model.ID == model {
			runs = append(runs, run)
		}
	}
	return runs, countOf(r.planned, dynamics, family, model)
}

// countOf is the number of tasks of a model in a world, or with "" for the family in all worlds of the dynamics.
func countOf(tasks []worldTask, dynamics, family, model string) (count int) {
	for _, t := range tasks {
		if t.World.Dynamics == dynamics && (family == "" || t.World.Family == family) && t.Model.ID == model {
			count++
		}
	}
	return count
}

// worlds lists the dynamics and families that were planned, and the models.
func (r *WorldResults) worlds() (dynamics, families []string, models []WorldModel) {
	for _, t := range r.planned {
		if !slices.Contains(dynamics, t.World.Dynamics) {
			dynamics = append(dynamics, t.World.Dynamics)
		}
		if !slices.Contains(families, t.World.Family) {
			families = append(families, t.World.Family)
		}
		if !slices.ContainsFunc(models, func(m WorldModel) bool { return m.ID == t.Model.ID }) {
			models = append(models, t.Model)
		}
	}
	return dynamics, families, models
}

// Families are those of the profile.
func (r *WorldResults) Families() []string {
	_, families, _ := r.worlds()
	return families
}

// Measure is one of the errors of a run.
type Measure string

const (
	// OnTest is the error on graphs that no model has seen; it is the one that the paper prints.
	OnTest Measure = "test"
	// Interpolated and Extrapolated are errors on the graphs trained on, at times within and after the ones trained on.
	Interpolated Measure = "interpolation"
	Extrapolated Measure = "extrapolation"
)

func (m Measure) of(r WorldRun) float64 {
	switch m {
	case Interpolated:
		return r.Interpolation
	case Extrapolated:
		return r.Extrapolation
	}
	return r.Test
}

// Tables are those of the test errors, one for each of the dynamics.
func (r *WorldResults) Tables() ([]*figures.Table, error) {
	var tables []*figures.Table
	dynamics, _, _ := r.worlds()
	for _, d := range dynamics {
		tables = append(tables, r.Table(d, OnTest))
	}
	return tables, nil
}

// Table shows the errors of one of the dynamics: models by families. The published value, where there is one, stands beside
// that on test. A cell has a number when all its runs are there and none diverged, else it says what is missing.
func (r *WorldResults) Table(dynamics string, measure Measure) *figures.Table {
	_, families, models := r.worlds()
	t := &figures.Table{
		Title:   fmt.Sprintf("%s, %s: %s error, profile %s", r.Experiment.Name, dynamics, measure, r.Profile),
		Columns: []figures.Column{{Title: "model"}},
		Notes:   r.notes(dynamics, measure),
	}
	for _, family := range families {
		t.Columns = append(t.Columns, figures.Column{Title: family, Better: figures.Lower, Decimals: 3})
	}
	t.Columns = append(t.Columns, figures.Column{Title: "size"}, figures.Column{Title: "s/epoch", Decimals: 2}, figures.Column{Title: "MB", Decimals: -1})
	for _, model := range models {
		name := model.Name
		if countOf(r.elsewhere, dynamics, "", model.ID) > 0 {
			name += elsewhere
		}
		cells := []figures.Cell{figures.Text(name)}
		var made []WorldRun
		for _, family := range families {
			runs, planned := r.of(dynamics, family, model.ID)
			made = append(made, runs...)
			cell := worldCell(runs, planned, measure)
			if n := countOf(r.stale, dynamics, family, model.ID); n > 0 {
				cell = figures.Text(stale(n, planned))
			}
			if p, ok := publishedError(dynamics, family, model.published); ok && measure == OnTest {
				cell = cell.Published(p[0], p[1])
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, append(cells, worldCost(made)...))
	}
	if measure == OnTest {
		t.Rows = append(t.Rows, r.improvement(dynamics, families))
	}
	return t
}

// worldCell is the mean error over seeds, or what is missing.
func worldCell(runs []WorldRun, planned int, measure Measure) figures.Cell {
	failures, values := 0, make([]float64, len(runs))
	for i, run := range runs {
		values[i] = measure.of(run)
		if run.Failure != "" {
			failures++
		}
	}
	switch {
	case len(runs) < planned:
		return figures.Text(fmt.Sprintf("missing, %d of %d", planned-len(runs), planned))
	case failures > 0:
		return figures.Text(fmt.Sprintf("diverged, %d of %d", failures, planned))
	}
	return estimate(values)
}

// worldCost are size, seconds and memory of a model's runs in all families.
func worldCost(runs []WorldRun) []figures.Cell {
	if len(runs) == 0 {
		return []figures.Cell{figures.Missing(), figures.Missing(), figures.Missing()}
	}
	var seconds []float64
	bytes := 0.0
	for _, run := range runs {
		if len(run.TrainLoss) > 0 { // a run may diverge in its first epoch
			seconds = append(seconds, run.SecondsPerEpoch)
		}
		bytes = math.Max(bytes, float64(run.PeakBytes))
	}
	cells := []figures.Cell{figures.Text(fmt.Sprint(runs[0].Parameters)), figures.Missing(), figures.Missing()}
	if len(seconds) > 0 {
		mean, _ := train.MeanCI(seconds)
		cells[1] = figures.Number(mean)
	}
	if bytes > 0 {
		cells[2] = figures.Number(math.Round(bytes / 1e6))
	}
	return cells
}

// improvement is the row of how much less the error of PENG-CDE is than that of the Original.
func (r *WorldResults) improvement(dynamics string, families []string) []figures.Cell {
	cells := []figures.Cell{figures.Text("PENG-CDE less than Original")}
	for _, family := range families {
		var means [2]float64
		complete := true
		for i, model := range []string{"original", "peng"} {
			runs, planned := r.of(dynamics, family, model)
			complete = complete && planned > 0 && len(runs) == planned
			for _, run := range runs {
				complete = complete && run.Failure == ""
				means[i] += run.Test / float64(len(runs))
			}
		}
		text := "–"
		if complete {
			text = fmt.Sprintf("%.0f %%", 100*(means[0]-means[1])/means[0])
		}
		original, ok := publishedError(dynamics, family, "Original GN-CDE")
		if peng, too := publishedError(dynamics, family, "PENG-CDE"); ok && too {
			text += fmt.Sprintf(" (%.0f %%)", 100*(original[0]-peng[0])/original[0])
		}
		cells = append(cells, figures.Text(text))
	}
	return cells
}

func (r *WorldResults) notes(dynamics string, measure Measure) []string {
	size := r.Experiment.size(r.Profile)
	means := map[Measure]string{
		OnTest:       "over four graphs that were not trained on and all 120 times",
		Interpolated: "over the four training graphs at 20 times among those trained on",
		Extrapolated: "over the four training graphs at the 20 times after those trained on",
	}
	first := fmt.Sprintf("Mean squared error %s; mean over seeds with its 95%% interval (Student t). %d nodes, at most %d epochs, learning rate 0.01 as the paper prints where no note says otherwise, published configuration for the rest; a seed draws graphs, events, times, initial states and parameters.",
		means[measure], size.nodes, size.epochs)
	notes := []string{first}
	if measure == OnTest {
		notes = append(notes, "What the paper prints is for 400 nodes and at most 2000 epochs; errors depend on the number of nodes.")
	}
	var seconds float64
	var machines []string
	_, _, models := r.worlds()
	for _, t := range r.planned {
		if t.World.Dynamics == dynamics {
			switch a := t.World.Amplitude; {
			case a.Low != a.High:
				notes = append(notes, fmt.Sprintf("Initial rectangles have amplitudes from U(%g, %g), which the published errors of the Constant model imply; the published configuration says 1.", a.Low, a.High))
			case a != synthetic.Shipped:
				notes = append(notes, fmt.Sprintf("Initial rectangles have amplitude %g, our choice; the published configuration, which lacks these dynamics, says 1.", a.High))
			}
			if p := t.World.task.Dynamics.Parameters; dynamics == synthetic.Wealth.Dynamics.Name {
				notes = append(notes, fmt.Sprintf("Depreciation %g and saving rate %g are our choice; the paper gives neither.", p[0], p[1]))
			}
			break
		}
	}
	for _, m := range models {
		if m.Note != "" {
			notes = append(notes, m.Note)
		}
	}
	for _, record := range r.Records {
		if record.Run == nil || record.Run.World.Dynamics != dynamics {
			continue
		}
		seconds += record.Seconds
		m := record.Machine
		if on := fmt.Sprintf("%s with %d CPUs (%s)", m.System, m.CPUs, m.Backend); !slices.Contains(machines, on) {
			machines = append(machines, on)
		}
	}
	cost := "size: parameters; s/epoch: seconds for an epoch of training; MB: largest memory of the process meanwhile, with what earlier runs left there."
	if len(machines) > 0 {
		cost += fmt.Sprintf(" The runs that are stored took %s on %s.", hours(seconds), strings.Join(machines, " and "))
	}
	return append(append(notes, cost), r.Remarks()...)
}
