package train

import (
	"cmp"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Schedule changes the learning rate during training. The zero value keeps it constant.
type Schedule struct {
	// Kind is Constant, Cosine or Plateau.
	Kind ScheduleKind `json:"Kind,omitzero"`
	// To is the share of AdamW.LearningRate at which Cosine ends and below which Plateau does not fall; 0 means 0.01.
	To float64 `json:"To,omitzero"`
	// Epochs is the number of epochs over which Cosine falls; afterwards the rate stays constant. 0 means
	// Config.Epochs.
	Epochs int `json:"Epochs,omitzero"`
	// After is the number of validations in a row without a better one after which Plateau halves the rate and starts
	// to count again; 0 means 4. After × EvaluateEvery must be below Patience, because otherwise Patience ends training
	// first.
	After int `json:"After,omitzero"`
}

// ScheduleKind names a schedule.
type ScheduleKind string

const (
	// Constant keeps the learning rate constant.
	Constant ScheduleKind = ""
	// Cosine falls from the learning rate η to To η along half a period of the cosine, batch by batch. With s the
	// number of batches before this one, including skipped ones, and S the number of batches of all Epochs, minus one,
	// the rate is
	//
	//	η (To + (1-To) (1 + cos(π s/S)) / 2)
	//
	// I. Loshchilov, F. Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, ICLR 2017, without restarts.
	Cosine ScheduleKind = "cosine"
	// Plateau halves the learning rate when validation has not improved for After validations.
	Plateau ScheduleKind = "plateau"
)

// withDefaults returns the schedule with its defaults filled in, for a configuration c that has its own defaults filled
// in.
func (s Schedule) withDefaults(c Config) (Schedule, error) {
	invalid := func(want string) (Schedule, error) {
		return s, errs.New(ErrInput, "pengcde/train: Schedule %+v with Epochs %d, EvaluateEvery %d, Patience %d, want %s", s,
			c.Epochs, c.EvaluateEvery, c.Patience, want)
	}
	if s.Kind == Constant {
		if s != (Schedule{}) {
			return invalid("a Kind, Cosine or Plateau, beside other fields")
		}
		return s, nil
	}
	s.To = cmp.Or(s.To, 0.01)
	if !(s.To > 0 && s.To <= 1) {
		return invalid("To above 0 and at most 1")
	}
	switch s.Kind {
	case Cosine:
		s.Epochs = cmp.Or(s.Epochs, c.Epochs)
		if s.After != 0 || s.Epochs < 0 {
			return invalid("positive Epochs, and After, which is for Plateau, at 0")
		}
	case Plateau:
		s.After = cmp.Or(s.After, 4)
		switch {
		case s.Epochs != 0 || s.After < 0:
			return invalid("a positive After, and Epochs, which is for Cosine, at 0")
		case c.EvaluateEvery < 0:
			return invalid("validation, without which Plateau sees nothing")
		case s.After*c.EvaluateEvery >= c.Patience && c.MinEpochs < c.Epochs-1:
			return invalid("After × EvaluateEvery below Patience, which else ends training before the first halving")
		}
	default:
		return invalid("Kind Cosine, Plateau or nothing")
	}
	return s, nil
}

// share returns the factor on the learning rate for a batch, given the epochs so far.
func (s Schedule) share(epochs []Epoch, batch, batches int) float64 {
	switch s.Kind {
	case Cosine:
		last := s.Epochs*batches - 1
		done := 0.0
		if last > 0 {
			done = min(1, float64(len(epochs)*batches+batch)/float64(last))
		}
		return s.To + (1-s.To)*(1+math.Cos(math.Pi*done))/2
	case Plateau:
		return max(s.To, math.Exp2(-float64(s.halvings(epochs))))
	}
	return 1
}

// halvings returns the number of times that the validations so far have halved the rate.
func (s Schedule) halvings(epochs []Epoch) (count int) {
	best, waited := math.Inf(1), 0
	for _, e := range epochs {
		switch {
		case math.IsNaN(e.Validation): // no validation in this epoch
		case e.Validation < best:
			best, waited = e.Validation, 0
		default:
			if waited++; waited == s.After {
				count, waited = count+1, 0
			}
		}
	}
	return count
}
