package stats

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"gonum.org/v1/gonum/floats"
)

// Test is a paired test: of differences, whether their mean is 0. The zero value takes them for independent, with
// Student's t. [SignedRanks], [SharedTraining] and [Overlapping] are others.
type Test struct {
	// CI is the mean of differences with the half-width of its 95% interval, P the two-sided p value.
	CI func(differences []float64) (mean, halfWidth float64)
	P  func(differences []float64) float64
}

// SignedRanks is for independent blocks whose errors have different scales, such as different data sets: its p value
// comes from [Wilcoxon], exact for up to 60 pairs. With n pairs it is never below 2^(1-n): five say nothing at 0.05.
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

// SharedTraining is for splits that share training data, see [CorrectedCI].
func SharedTraining(testToTrain float64) Test {
	return Test{
		CI: func(differences []float64) (float64, float64) { return CorrectedCI(differences, testToTrain) },
		P:  func(differences []float64) float64 { return CorrectedP(differences, testToTrain) },
	}
}

// Overlapping is for windows in order of time that share steps with those up to lag places before, see [SerialCI].
func Overlapping(lag int) Test {
	return Test{
		CI: func(differences []float64) (float64, float64) { return SerialCI(differences, lag) },
		P:  func(differences []float64) float64 { return SerialP(differences, lag) },
	}
}

// Difference is how a model does beside a rival.
type Difference struct {
	// Mean is the mean of the model's errors minus the rival's, below 0 where the model is better; HalfWidth is
	// half the width of its 95% interval.
	Mean, HalfWidth float64
	// P is the two-sided p value of no difference; Corrected is it after Holm, over all rivals that were compared with.
	P, Corrected float64
}

// Better says that the model's errors are less than the rival's, by the corrected p value at a level such as 0.05.
func (d Difference) Better(level float64) bool { return d.Mean < 0 && d.Corrected <= level }

// Worse is [Difference.Better] of the rival.
func (d Difference) Worse(level float64) bool { return d.Mean > 0 && d.Corrected <= level }

// Compare takes the differences of a model's errors from each rival's, pair by pair: errors of the same blocks, in the
// same order, for [Overlapping] in order of time. The p values are corrected by Holm for the number of rivals.
func Compare(model []float64, rivals [][]float64, test Test) ([]Difference, error) {
	if test.CI == nil {
		test.CI = MeanCI
	}
	if test.P == nil {
		test.P = MeanP
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
