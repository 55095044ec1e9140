package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Estimate says how many runs [Study.Run] would make, and about how long that takes by runs that are stored or came
// with the module.
type Estimate struct {
	// Planned runs were asked for; Missing are those to make, Trained the trained ones of them, by so many Programs: one
	// a run, or fewer where the seeds of a model are trained together.
	Planned, Missing, Trained, Programs int
	// Judged of the trained ones take Seconds in all, by stored runs of their models, one after the other; of the rest
	// nothing is known.
	Judged  int
	Seconds float64
	// PeakBytes is the most memory that one of those stored runs took, of the same profile; 0 where it is not known.
	PeakBytes int64
	// Machines made those stored runs.
	Machines []string

	profile Profile
	others  []Profile // of which stored runs are, where none of the profile is
}

// Estimate computes nothing. Where no run of a model is stored in the profile, it is judged by the seconds of an epoch
// in another.
func (s Study) Estimate(ctx context.Context, o Options) (Estimate, error) {
	r, err := s.find(ctx, o)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{profile: r.Profile, Planned: len(r.Results)}
	w := s.runner(r, o)
	missing := r.Results.only(w.wanted)
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

// made are the stored runs of a profile, those among them that are made on request where options ask for them.
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

// judge adds what a run will take by stored runs of a profile: of the same model and keys, else of the same model.
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

// String is a sentence or two for people.
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
