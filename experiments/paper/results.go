package experiments

import "fmt"

// ForecastingResults are the runs of an experiment that were asked for, those that are missing among them.
type ForecastingResults struct {
	Experiment Forecasting
	Profile    Profile
	Standing
	Rows []Row
}

// Row is a setting with its runs.
type Row struct {
	Setting Setting
	Name    string
	// Planned is the number of runs asked for.
	Planned int
	// Stale is the number of runs of which only another [Generation] is stored, Elsewhere that of those that another
	// backend made than the one that would compute.
	Stale, Elsewhere int
	// Records are all that is stored of them in this generation, errors too.
	Records []Record[Run]
	// Runs are those that were made, failed ones among them; Errors say why others could not be.
	Runs   []Run    `json:"-"`
	Errors []string `json:"-"`
}

// add takes a task and what is stored of it. Tasks come in the order of their settings.
func (r *ForecastingResults) add(t task, f found[Run]) {
	last := len(r.Rows) - 1
	if last < 0 || r.Rows[last].Setting.ID != t.Setting.ID || r.Rows[last].Setting.Split != t.Setting.Split {
		r.Rows = append(r.Rows, Row{Setting: t.Setting, Name: t.Setting.Name, Records: []Record[Run]{}})
		last++
	}
	row := &r.Rows[last]
	row.Planned++
	record := f.record
	if record == nil {
		if !f.missing() {
			row.Stale++
			r.Stale++
		}
		return
	}
	if f.elsewhere {
		row.Elsewhere++
		r.Elsewhere[record.Backend]++
	}
	row.Records = append(row.Records, *record)
	if record.Error != "" {
		row.Errors = append(row.Errors, fmt.Sprintf("%s: %s", t, record.Error))
		return
	}
	run := *record.Run
	run.Setting = t.Setting // with what is not stored
	row.Runs = append(row.Runs, run)
}

func (r *ForecastingResults) errors() (all []string) {
	for _, row := range r.Rows {
		all = append(all, row.Errors...)
	}
	return all
}

// Count is the number of runs that are stored, and of all that were asked for.
func (r *ForecastingResults) Count() (stored, planned int) {
	for _, row := range r.Rows {
		stored += len(row.Runs)
		planned += row.Planned
	}
	return stored, planned
}

// Models are the counts of each model.
func (r *ForecastingResults) Models() (counts []ModelCount) {
	for _, row := range r.Rows {
		counts = count(counts, ModelCount{row.Setting.ID, len(row.Runs), row.Planned, row.Stale})
	}
	return counts
}

// title is the row's name, marked where another backend made some of its runs.
func (r *Row) title() string {
	if r.Elsewhere > 0 {
		return r.Name + elsewhere
	}
	return r.Name
}

// Row finds the row of a setting; nil when there is none.
func (r *ForecastingResults) Row(id string, split Split) *Row {
	for i := range r.Rows {
		if r.Rows[i].Setting.ID == id && r.Rows[i].Setting.Split == split {
			return &r.Rows[i]
		}
	}
	return nil
}

// has says whether any row has the split.
func (r *ForecastingResults) has(split Split) bool {
	for _, row := range r.Rows {
		if row.Setting.Split == split {
			return true
		}
	}
	return false
}

// gap says in words why a row has no numbers; "" when it has.
func (r *Row) gap() string {
	failures := 0
	for _, run := range r.Runs {
		if run.Failure != "" {
			failures++
		}
	}
	switch {
	case len(r.Errors) > 0:
		return fmt.Sprintf("error, %d of %d", len(r.Errors), r.Planned)
	case r.Stale > 0:
		return stale(r.Stale, r.Planned)
	case len(r.Runs) < r.Planned:
		return fmt.Sprintf("missing, %d of %d", r.Planned-len(r.Runs), r.Planned)
	case failures > 0:
		return fmt.Sprintf("diverged, %d of %d", failures, r.Planned)
	}
	return ""
}

// values are one number of each run.
func (r *Row) values(of func(Run) float64) []float64 {
	values := make([]float64, len(r.Runs))
	for i, run := range r.Runs {
		values[i] = of(run)
	}
	return values
}
