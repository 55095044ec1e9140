package judge

import "github.com/peng-cde/pengcde-go/stats"

// Interval is a mean with the half-width of its 95% interval over seeds.
type Interval struct{ Mean, Half float64 }

func IntervalOf(values []float64) (i Interval) {
	i.Mean, i.Half = stats.MeanCI(values)
	return i
}

func (i Interval) Low() float64  { return i.Mean - i.Half }
func (i Interval) High() float64 { return i.Mean + i.Half }

// LevelTime is the factor within which times count as level.
const LevelTime = 1.25
