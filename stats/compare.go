package stats

import (
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"gonum.org/v1/gonum/floats"
)

// Test is a paired test of whether the mean of differences is 0. The zero value is Student's t test, for independent
// differences. [SignedRanks], [SharedTraining] and [Overlapping] return others.
type Test struct {
	// CI returns the mean of differences with the half-width of its 95% interval, and P the two-sided p value.
	CI func(differences []float64) (mean, halfWidth float64)
	P  func(differences []float64) float64

	check func(differences int) error // of the parameters; nil if there are none
}

// SignedRanks returns a test for independent blocks whose errors have different scales, such as different data sets.
// Its p value comes from [Wilcoxon], exact for up to 60 pairs. With n pairs it is never below 2^(1-n), so five pairs
// cannot be significant at 0.05.
func SignedRanks() Test {
	return Test{P: func(differences []float64) float64 {
		test, err := Wilcoxon(differences, make([]float64, len(differences)))
		switch {
		case err != nil: // Compare has checked the values, so there is a single one
			return 1
		case test.Pairs <= mostExact:
			return test.Exact
		}
		return test.P
	}}
}

// SharedTraining returns a test for splits that share training data, see [CorrectedCI].
func SharedTraining(testToTrain float64) Test {
	return Test{
		CI: func(differences []float64) (float64, float64) { return CorrectedCI(differences, testToTrain) },
		P:  func(differences []float64) float64 { return CorrectedP(differences, testToTrain) },
		check: func(int) error {
			if !(testToTrain >= 0) || math.IsInf(testToTrain, 1) {
				return invalid(nil, "testToTrain %g, want a finite number, 0 or more", testToTrain)
			}
			return nil
		},
	}
}

// Overlapping returns a test for windows in order of time that share steps with up to lag windows before, see
// [SerialCI].
func Overlapping(lag int) Test {
	return Test{
		CI: func(differences []float64) (float64, float64) { return SerialCI(differences, lag) },
		P:  func(differences []float64) float64 { return SerialP(differences, lag) },
		check: func(int) error {
			if lag < 0 {
				return invalid(nil, "lag %d, want 0 or more", lag)
			}
			return nil
		},
	}
}

// Difference compares a model with a rival.
type Difference struct {
	// Mean is the mean of the model's errors minus the rival's, below 0 where the model is better; HalfWidth is
	// half the width of its 95% interval.
	Mean, HalfWidth float64
	// P is the two-sided p value of no difference. Corrected is P after Holm's correction over all rivals compared.
	P, Corrected float64
}

// Compare compares a model's errors with each rival's, pair by pair: errors of the same blocks, in the same order, for
// [Overlapping] in order of time. The p values have Holm's correction for the number of rivals.
func Compare(model []float64, rivals [][]float64, test Test) ([]Difference, error) {
	if test.CI == nil {
		test.CI = MeanCI
	}
	if test.P == nil {
		test.P = MeanP
	}
	if test.check != nil {
		if err := test.check(len(model)); err != nil {
			return nil, err
		}
	}
	all, p := make([]Difference, len(rivals)), make([]float64, len(rivals))
	for i, rival := range rivals {
		if err := checkPairs(model, rival); err != nil {
			return nil, errs.In(fmt.Sprintf("stats: rival %d", i), err)
		}
		differences := make([]float64, len(model))
		floats.SubTo(differences, model, rival)
		d := &all[i]
		d.Mean, d.HalfWidth = test.CI(differences)
		d.P = test.P(differences)
		p[i] = d.P
	}
	corrected, err := Holm(p)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Corrected = corrected[i]
	}
	return all, nil
}
