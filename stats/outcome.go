package stats

import "math"

// Level is the largest p value, after correction, at which a difference counts as shown.
const Level = 0.05

// Outcome is what the comparison of a model with a rival shows.
type Outcome string

const (
	NotTested Outcome = ""
	Better    Outcome = "better"
	Worse     Outcome = "worse"
	NotShown  Outcome = "no difference shown"
)

// Outcome returns what the difference of a model's errors from a rival's shows, by the corrected p value.
func (d Difference) Outcome() Outcome { return decide(d.Mean, d.Corrected <= Level) }

// OutcomeOf returns what a difference from a single rival shows, by its 95% interval: by [MeanCI], [CorrectedCI] and
// [SerialCI] the same as by the p value, without its cost. Without an interval nothing was tested.
func OutcomeOf(mean, halfWidth float64) Outcome {
	if math.IsNaN(mean+halfWidth) || math.IsInf(halfWidth, 0) {
		return NotTested
	}
	return decide(mean, math.Abs(mean) > halfWidth)
}

func decide(difference float64, shown bool) Outcome {
	switch {
	case shown && difference < 0:
		return Better
	case shown && difference > 0:
		return Worse
	}
	return NotShown
}
