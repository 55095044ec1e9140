package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/figures"
)

// Estimate holds how many runs [Study.Run] would make, and about how long they would take. The times come from runs
// that are stored or came with the module.
type Estimate struct {
	// Planned counts the requested runs, Missing the runs still to make, and Trained the missing runs that need
	// training. Programs is the number of compiled programs that train them: one per run, or fewer where the seeds of
	// a model are trained together.
	Planned, Missing, Trained, Programs int
	// Estimated counts the Trained runs whose time can be estimated from stored runs of their models. Seconds is their
	// total time if they run one after the other. The time of the remaining runs is unknown.
	Estimated int
	Seconds   float64
	// PeakBytes is the largest memory use among the stored runs of the same profile; 0 if unknown.
	PeakBytes int64
	// Machines lists the machines that made those stored runs.
	Machines []string
	// Rows holds an estimate for each model, in the order of the plan.
	Rows []RowEstimate

	profile Profile
	others  []string // profiles of the stored runs with their growth, where none has the requested profile
}

// RowEstimate is an [Estimate] for the runs of one model, and the time that its stored runs trained.
type RowEstimate struct {
	Model Row
	// Planned and Missing count runs. Made counts the stored runs with facts, and Diverged the diverged ones of them.
	// Stale and Failed count such runs that are not missing, since nothing asks for them.
	Planned, Missing, Made, Diverged, Stale, Failed int
	// Taken is the sum of the stored runs' [store.Record.Cost]. Seconds is an estimate for the missing runs but Unknown
	// of them.
	Taken, Seconds float64
	Unknown        int

	rough bool // a part of the estimate comes from another profile
}

// Estimate estimates the missing runs and computes nothing. If no run of a model is stored in the profile, its time
// is estimated from runs in another profile: their seconds for an epoch and their share of the most epochs allowed,
// times the growth of the models with runs in both profiles.
func (s Study) Estimate(ctx context.Context, o Options) (Estimate, error) {
	r, w, err := s.toMake(ctx, o)
	if err != nil {
		return Estimate{}, err
	}
	e, err := r.estimate(w.missing, func(p Profile) (Results, error) { return s.made(ctx, p, o) })
	w.missing = trained(w.missing)
	e.Programs = len(w.programs())
	return e, err
}

// Estimate estimates the runs of the report that have no facts, whatever backend would make them and whether or not
// [Study.Run] would. It knows the stored runs of the report and of reports on other profiles. It counts no programs.
func (r *Report) Estimate(others ...*Report) Estimate {
	missing := r.Results.only(func(r Result) bool { return !r.made() })
	e, _ := r.estimate(missing, func(p Profile) (stored Results, _ error) {
		if p == r.Profile {
			return r.Results.Made(), nil
		}
		for _, other := range others {
			if other.Profile == p {
				stored = other.Results.Made()
			}
		}
		return stored, nil // no error, so that estimate has none
	})
	return e
}

func trained(runs Results) Results {
	return runs.only(func(r Result) bool { return !r.Model.Untrained })
}

// estimate estimates runs by the stored runs of profiles.
func (r *Report) estimate(missing Results, stored func(Profile) (Results, error)) (Estimate, error) {
	e := Estimate{profile: r.Profile, Planned: len(r.Results), Missing: len(missing), Trained: len(trained(missing))}
	rows := make(map[string]*RowEstimate)
	for _, id := range r.Models() {
		runs := r.Results.Where("model", id)
		made := runs.Made()
		row := &RowEstimate{Model: runs[0].Model, Planned: len(runs), Made: len(made),
			Diverged: len(made) - len(made.Finished()), Missing: len(missing.Where("model", id))}
		unmade := missing.Where("model", id).only(func(r Result) bool { return !r.made() })
		row.Stale = runs.Stale() - unmade.Stale()
		row.Failed = len(runs.failed()) - len(unmade.failed())
		for _, run := range made {
			row.Taken += run.Record.Cost()
		}
		row.Unknown, rows[id] = row.Missing, row
	}
	others := slices.DeleteFunc([]Profile{Medium, Full, Quick}, func(p Profile) bool { return p == r.Profile })
	var here byKind[*pace]
	var models []string // with runs here
	for _, p := range append([]Profile{r.Profile}, others...) {
		if len(missing) == 0 {
			break
		}
		known, err := stored(p)
		if err != nil {
			return e, err
		}
		from := source{profile: p, paces: pacesOf(known)}
		if p == r.Profile {
			here, models = from.paces, known.Values("model")
		} else {
			from.growth, from.models = growth(models, here, from.paces)
		}
		missing = slices.DeleteFunc(slices.Clone(missing), func(run Result) bool {
			return e.add(run, rows[run.Model.ID], from)
		})
	}
	for _, id := range r.Models() {
		e.Rows = append(e.Rows, *rows[id])
	}
	return e, nil
}

// made returns the stored runs of a profile.
func (s Study) made(ctx context.Context, p Profile, o Options) (Results, error) {
	r, err := s.find(ctx, Options{Profile: p, Data: o.Data, Backend: o.Backend})
	if errors.Is(err, ErrInput) { // the study has no such profile
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return r.Results.Made(), nil
}

// pace is how long stored runs took: the seconds of each run's epochs and beside them, and the seconds of an epoch
// times the share of the most epochs allowed.
type pace struct {
	trained, beside, shared []float64
	peak                    int64
	machines                []string
}

func pacesOf(stored Results) byKind[*pace] {
	paces := make(byKind[*pace])
	for _, run := range stored {
		trained, share := run.Record.Cost(), 0.0
		if training := run.Facts().Training; training != nil && len(training.TrainLoss) > 0 {
			config, err := run.Model.Train.Resolved()
			if err != nil {
				continue
			}
			share = trained / float64(config.Epochs)
		} else if !run.Model.Untrained { // it diverged in its first epoch
			continue
		}
		paces.add(run.Run, func(p *pace) *pace {
			if p == nil {
				p = new(pace)
			}
			p.trained, p.shared = append(p.trained, trained), append(p.shared, share)
			p.beside = append(p.beside, max(0, run.Record.Seconds-trained))
			p.peak = max(p.peak, run.Facts().PeakBytes)
			if on := run.Record.Machine.String(); !slices.Contains(p.machines, on) {
				p.machines = append(p.machines, on)
			}
			return p
		})
	}
	for _, p := range paces {
		slices.Sort(p.beside)
	}
	return paces
}

// source holds the paces of a profile's stored runs, the factor to the times of the requested profile, and the number
// of models that it comes from.
type source struct {
	profile Profile
	paces   byKind[*pace]
	growth  float64
	models  int
}

func (s source) String() string {
	if s.models == 0 {
		return string(s.profile)
	}
	return fmt.Sprintf("%s times %.2g (models with runs in both: %d)", s.profile, s.growth, s.models)
}

// growth returns the median ratio of the times of models with stored runs here and there, and their number.
func growth(models []string, here, there byKind[*pace]) (float64, int) {
	var ratios []float64
	for _, id := range models {
		if h, t := here[id], there[id]; h != nil && t != nil {
			if ratio := stat.Mean(h.shared, nil) / stat.Mean(t.shared, nil); ratio > 0 && !math.IsInf(ratio, 0) {
				ratios = append(ratios, ratio)
			}
		}
	}
	if len(ratios) == 0 {
		return 1, 0
	}
	slices.Sort(ratios)
	return stat.Quantile(0.5, stat.Empirical, ratios, nil), len(ratios)
}

// add adds the estimated time of a run, if the source has stored runs of the same model and keys, or else of the
// same model.
func (e *Estimate) add(r Result, row *RowEstimate, from source) bool {
	known := from.paces.of(r.Run)
	if known == nil {
		return false
	}
	seconds := stat.Mean(known.trained, nil)
	elsewhere := from.profile != e.profile
	if elsewhere && !r.Model.Untrained { // with other sizes
		config, err := r.Model.Train.Resolved()
		if err != nil {
			return false
		}
		seconds = stat.Mean(known.shared, nil) * float64(config.Epochs) * from.growth
	}
	const usual = 0.25 // a process that was paused, or ran beside others, took longer
	seconds += stat.Quantile(usual, stat.Empirical, known.beside, nil)
	row.rough = row.rough || elsewhere
	row.Seconds += seconds
	row.Unknown--
	if r.Model.Untrained {
		return true
	}
	e.Estimated++
	e.Seconds += seconds
	if !elsewhere {
		e.PeakBytes = max(e.PeakBytes, known.peak)
	} else if name := from.String(); !slices.Contains(e.others, name) {
		e.others = append(e.others, name)
	}
	for _, on := range known.machines {
		if !slices.Contains(e.Machines, on) {
			e.Machines = append(e.Machines, on)
		}
	}
	return true
}

// String returns the estimate as one or two sentences for people.
func (e Estimate) String() string {
	text := fmt.Sprintf("%d of %d runs to make", e.Missing, e.Planned)
	switch {
	case e.Missing == 0:
		return "nothing to make, " + cmp.Or(e.Total().left(" (--retry makes them again)", " (--stale replaces them)"),
			"all runs are stored")
	case e.Trained == 0:
		return text + ", none of which is trained: seconds"
	case e.Estimated == 0:
		return text + "; how long they take is not known, as no run of their models is stored"
	}
	about, by := "about", "stored runs of these models"
	if len(e.others) > 0 {
		by = "the seconds of an epoch in profile " + strings.Join(e.others, " and ")
		about = roughly
	}
	text += fmt.Sprintf("; %s %s in one process by %s, made on %s", about, hours(e.Seconds), by,
		strings.Join(e.Machines, " and "))
	if rest := e.Trained - e.Estimated; rest > 0 {
		text += fmt.Sprintf("; %d more have none to judge by", rest)
	}
	return text
}

// Table lists the models with their stored runs, the time that these trained, and the time that the missing runs would
// take.
func (e Estimate) Table() *figures.Table {
	t := &figures.Table{Columns: []figures.Column{{Title: "model"}, {Title: "stored"}, {Title: "diverged"},
		{Title: "time trained"}, {Title: "time to come"}}}
	for _, row := range e.Rows {
		t.Rows = append(t.Rows, []figures.Cell{figures.Text(row.Model.Name), figures.Text(row.Stored()),
			figures.Text(strconv.Itoa(row.Diverged)), figures.Text(row.Time()), figures.Text(row.ToCome())})
	}
	return t
}

// roughly marks an estimate from another profile, with other graphs, models or epochs.
const roughly = "roughly"

// Total returns the sum over the models.
func (e Estimate) Total() (total RowEstimate) {
	for _, row := range e.Rows {
		total.Add(row)
	}
	return total
}

// Add adds the runs of another model or study.
func (r *RowEstimate) Add(other RowEstimate) {
	r.Planned, r.Missing = r.Planned+other.Planned, r.Missing+other.Missing
	r.Made, r.Diverged = r.Made+other.Made, r.Diverged+other.Diverged
	r.Taken, r.Seconds, r.Unknown = r.Taken+other.Taken, r.Seconds+other.Seconds, r.Unknown+other.Unknown
	r.Stale, r.Failed, r.rough = r.Stale+other.Stale, r.Failed+other.Failed, r.rough || other.rough
}

// Stored counts the stored runs, for people.
func (r RowEstimate) Stored() string { return fmt.Sprintf("%d of %d", r.Made, r.Planned) }

// Time returns the time that the stored runs trained, for people.
func (r RowEstimate) Time() string {
	if r.Made == 0 {
		return "–"
	}
	return hours(r.Taken)
}

// left counts the failed and stale runs, each with what to do about them; "" if there are none.
func (r RowEstimate) left(retry, replace string) string {
	var parts []string
	if r.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed%s", r.Failed, retry))
	}
	if r.Stale > 0 {
		parts = append(parts, fmt.Sprintf("%d stale%s", r.Stale, replace))
	}
	return strings.Join(parts, ", ")
}

// ToCome returns the time of the missing runs, for people.
func (r RowEstimate) ToCome() string {
	var parts []string
	if r.Unknown < r.Missing {
		text := hours(r.Seconds)
		if r.rough {
			text = roughly + " " + text
		}
		parts = append(parts, text)
	}
	switch {
	case r.Unknown == 1:
		parts = append(parts, "unknown for 1 run")
	case r.Unknown > 1:
		parts = append(parts, fmt.Sprintf("unknown for %d runs", r.Unknown))
	}
	if left := r.left("", ""); left != "" {
		parts = append(parts, left)
	}
	return cmp.Or(strings.Join(parts, ", "), "–")
}
