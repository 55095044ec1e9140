package ode

import (
	"math"

	"github.com/peng-cde/pengcde-go/internal/rk"
)

// stops lists the times ahead of a sample that steps must end on.
type stops struct {
	// ahead is sorted, the nearest time first; the last is t1.
	ahead []stop
	start stop // t0
	// continuous means that the field jumps at none of them.
	continuous bool
	// least is a distance that rounding does not lose anywhere in the solve.
	least float64
}

// stop is a time at which a step ends or begins. jumps says whether the field jumps there. reach is the distance to the
// farthest jump merged with this stop.
type stop struct {
	t, reach float64
	jumps    bool
}

// take merges a jump at the nearby time t with the stop.
func (s *stop) take(t float64) { s.jumps, s.reach = true, math.Max(s.reach, math.Abs(t-s.t)) }

// nearby returns the distance from a stop below which a step of a solve from t0 to t1 ends there.
func nearby(steps Steps, t0, t1 float64) float64 {
	if known, ok := steps.(*given); ok {
		return known.near
	}
	return 25 * rk.Resolution(t0, t1)
}

// newStops lists the step-to times between t0 and t1, in the direction of the solve, followed by t1. Times closer than
// the shortest step are merged.
func newStops(row []float64, t0, t1 float64) stops {
	toward, near := direction(t0, t1), rk.Resolution(t0, t1)
	s := stops{start: stop{t: t0}, least: rk.ULP(t1 - t0)}
	end := stop{t: t1}
	for i := range row {
		t := row[i]
		if direction(row[0], row[len(row)-1]) != toward {
			t = row[len(row)-1-i]
		}
		last := &s.start
		if len(s.ahead) > 0 {
			last = &s.ahead[len(s.ahead)-1]
		}
		switch {
		case math.Abs(t-t1) < near:
			end.take(t)
		case math.Abs(t-last.t) < near:
			last.take(t)
		case toward*(t-t0) > 0 && toward*(t1-t) > 0:
			s.ahead = append(s.ahead, stop{t: t, jumps: true})
		}
	}
	s.ahead = append(s.ahead, end)
	return s
}

// offset returns a small displacement past a stop if the field jumps there, else 0.
func (s *stops) offset(at stop, toward float64) float64 {
	if !at.jumps || s.continuous {
		return 0
	}
	return toward * (at.reach + math.Max(s.least, rk.ULP(at.t)))
}

// cut shortens a step from t with proposed end end to the nearest stop if the step would pass the stop or end within
// near of it.
func (s *stops) cut(t, end, near float64) float64 {
	toward := direction(t, s.ahead[len(s.ahead)-1].t)
	for len(s.ahead) > 1 && toward*(s.ahead[0].t-t) <= 0 {
		s.ahead = s.ahead[1:]
	}
	stop := s.ahead[0].t
	ahead := toward * (stop - end)
	if ahead < 0 || ahead < near && end != t {
		return stop
	}
	return end
}

// times returns the times ahead of t.
func (s *stops) times(t float64) (times []float64) {
	toward := direction(t, s.ahead[len(s.ahead)-1].t)
	for _, stop := range s.ahead {
		if toward*(stop.t-t) > 0 {
			times = append(times, stop.t)
		}
	}
	return times
}

// checkStops checks the step-to times of a problem.
func checkStops(p Problem) ([][]float64, error) {
	const what = "step-to time"
	if len(p.StepTo) == 0 {
		return make([][]float64, p.Z0.Shape().Dimensions[0]), nil
	}
	rows, err := perSample(what, p.StepTo, p.Z0.Shape().Dimensions[0])
	if err != nil {
		return nil, err
	}
	for b, row := range rows {
		for i, t := range row {
			if i > 0 && direction(row[i-1], t)*direction(row[0], row[1]) <= 0 {
				return nil, &InputError{What: what, Sample: b, Entry: i, Value: t,
					Want: "times in strict order: none twice, none turning back"}
			}
		}
	}
	return rows, nil
}
