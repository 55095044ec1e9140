package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Estimate holds how many runs [Study.Run] would make, and about how long they would take. The times come from runs
// that are stored or came with the module.
type Estimate struct {
	// Planned counts the requested runs, Missing the runs still to make, and Trained the missing runs that need
	// training. Programs is the number of compiled programs that train them: one per run, or fewer where the seeds of
	// a model are trained together.
	Planned, Missing, Trained, Programs int
	// Judged counts the Trained runs whose time can be estimated from stored runs of their models. Seconds is their
	// total time if they run one after the other. The time of the remaining runs is unknown.
	Judged  int
	Seconds float64
	// PeakBytes is the largest memory use among the stored runs of the same profile; 0 if unknown.
	PeakBytes int64
	// Machines lists the machines that made those stored runs.
	Machines []string

	profile Profile
	others  []Profile // profiles of the stored runs, where none has the requested profile
}

// Estimate estimates the missing runs and computes nothing. If no run of a model is stored in the profile, its time
// is estimated from the seconds per epoch in another profile.
func (s Study) Estimate(ctx context.Context, o Options) (Estimate, error) {
	r, w, err := s.toMake(ctx, o)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{profile: r.Profile, Planned: len(r.Results)}
	missing := w.missing
	trained := missing.only(func(r Result) bool { return !r.Model.Untrained })
	w.missing = trained
	e.Missing, e.Trained, e.Programs = len(missing), len(trained), len(w.programs())
	others := slices.DeleteFunc([]Profile{Medium, Full, Quick}, func(p Profile) bool { return p == r.Profile })
	for _, p := range append([]Profile{r.Profile}, others...) {
		if len(trained) == 0 {
			break
		}
		stored, err := s.made(ctx, p, o)
		if err != nil {
			return e, err
		}
		trained = slices.DeleteFunc(trained, func(r Result) bool { return e.judge(r, p, stored) })
	}
	return e, nil
}

// made returns the stored runs of a profile. It includes runs that are made on request if the options ask for them.
func (s Study) made(ctx context.Context, p Profile, o Options) (all Results, err error) {
	for _, only := range []map[string][]string{nil, o.Only} {
		r, err := s.find(ctx, Options{Profile: p, Only: only, Data: o.Data, Backend: o.Backend})
		if errors.Is(err, ErrInput) { // the profile does not have these keys
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, r.Results.Made()...)
		if len(o.Only) == 0 {
			break
		}
	}
	return all, nil
}

// judge adds the estimated cost of a run. It uses the stored runs of a profile with the same model and keys, else
// with the same model.
func (e *Estimate) judge(r Result, p Profile, stored Results) bool {
	for _, alike := range []func(Result) bool{
		func(s Result) bool { return s.kind() == r.kind() }, func(s Result) bool { return s.Model.ID == r.Model.ID },
	} {
		var seconds []float64
		for _, s := range stored.only(alike) {
			training := s.Facts().Training
			if training == nil || len(training.TrainLoss) == 0 { // it diverged in its first epoch
				continue
			}
			took := s.Record.Seconds
			if p == e.profile {
				e.PeakBytes = max(e.PeakBytes, s.Facts().PeakBytes)
			} else { // with other sizes
				config, err := r.Model.Train.Resolved()
				if err != nil {
					continue
				}
				took = max(0, took-training.SecondsPerEpoch*float64(len(training.TrainLoss))) +
					training.SecondsPerEpoch*float64(config.Epochs)
			}
			seconds = append(seconds, took)
			if on := s.Record.Machine.String(); !slices.Contains(e.Machines, on) {
				e.Machines = append(e.Machines, on)
			}
		}
		if len(seconds) == 0 {
			continue
		}
		e.Judged++
		e.Seconds += stat.Mean(seconds, nil)
		if p != e.profile && !slices.Contains(e.others, p) {
			e.others = append(e.others, p)
		}
		return true
	}
	return false
}

// String returns the estimate as one or two sentences for people.
func (e Estimate) String() string {
	text := fmt.Sprintf("%d of %d runs to make", e.Missing, e.Planned)
	switch {
	case e.Missing == 0:
		return "nothing to make, all runs are stored"
	case e.Trained == 0:
		return text + ", none of which is trained: seconds"
	case e.Judged == 0:
		return text + "; how long they take is not known, as no run of their models is stored"
	}
	about, by := "about", "stored runs of these models"
	if len(e.others) > 0 {
		var names []string
		for _, p := range e.others {
			names = append(names, string(p))
		}
		by = fmt.Sprintf("the seconds of an epoch in profile %s", strings.Join(names, " and "))
		rank := func(p Profile) int { return slices.Index(Profiles(), p) }
		above := func(p Profile) bool { return rank(p) > rank(e.profile) }
		switch smaller := slices.ContainsFunc(e.others, above); {
		case !smaller:
			about = "more than"
		case !slices.ContainsFunc(e.others, func(p Profile) bool { return !above(p) }):
			about = "at most about"
		}
	}
	text += fmt.Sprintf("; %s %s in one process by %s, made on %s", about, hours(e.Seconds), by,
		strings.Join(e.Machines, " and "))
	if rest := e.Trained - e.Judged; rest > 0 {
		text += fmt.Sprintf("; %d more have none to judge by", rest)
	}
	return text
}
