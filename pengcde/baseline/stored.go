package baseline

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Stored is a fitted forecaster of this package as files hold it: its name and what it learnt.
type Stored struct {
	Name string `json:"Name"`
	// Mean is what [TrainingMean] learnt, one number for each component of the target.
	Mean []float64 `json:"Mean,omitempty"`
	// Penalty, Inputs and Coefficients [regressors][targets] are what [Ridge] learnt from windows with that many inputs.
	Penalty      float64     `json:"Penalty,omitzero"`
	Inputs       int         `json:"Inputs,omitzero"`
	Coefficients [][]float64 `json:"Coefficients,omitempty"`
}

// Store returns what a fitted forecaster learnt. It returns an error for one that is not fitted, and for a forecaster
// of another package.
func Store(f Forecaster) (Stored, error) {
	s := Stored{Name: f.Name()}
	switch f := f.(type) {
	case Zero, Persistence, RecentMean:
	case *TrainingMean:
		s.Mean = f.mean
	case *Ridge:
		s.Penalty, s.Inputs = f.chosen, f.inputs
		for i := range f.Coefficients() {
			s.Coefficients = append(s.Coefficients, slices.Clone(f.coefficients.RawRowView(i)))
		}
	default:
		return s, invalid("forecaster %q, a %T, to be stored, want one of this package", s.Name, f)
	}
	_, err := s.Forecaster()
	return s, err
}

// Forecaster returns the stored forecaster.
func (s Stored) Forecaster() (Forecaster, error) {
	all := append(Heuristics(), &Ridge{Choose: true, Neighbours: true})
	i := slices.IndexFunc(all, func(f Forecaster) bool { return f.Name() == s.Name })
	if i < 0 {
		return nil, invalid("a stored forecast %q, want one that this version knows", s.Name)
	}
	switch f := all[i].(type) {
	case *TrainingMean:
		f.mean = s.Mean
		if len(s.Mean) == 0 || !finite(s.Mean) {
			return nil, invalid("a stored training mean %g, want a finite number for each target", s.Mean)
		}
	case *Ridge:
		width := 0
		if len(s.Coefficients) > 0 {
			width = len(s.Coefficients[0])
		}
		if width == 0 || s.Inputs < 1 || slices.ContainsFunc(s.Coefficients, func(row []float64) bool {
			return len(row) != width || !finite(row)
		}) {
			return nil, invalid("a stored ridge with %d rows of coefficients for %d inputs, want rows of one length with "+
				"finite numbers", len(s.Coefficients), s.Inputs)
		}
		f.chosen, f.inputs = s.Penalty, s.Inputs
		f.coefficients = mat.NewDense(len(s.Coefficients), width, slices.Concat(s.Coefficients...))
	}
	return all[i], nil
}

func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
