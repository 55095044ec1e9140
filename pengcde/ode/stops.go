package ode

import "math"

// stops are what lies ahead of a sample.
type stops struct {
	// ahead are the times that steps must end on, the nearest first; the last is t1.
	ahead []float64
	// The field jumps at all of them but t1, there where last says so, and at t0 where first does; nowhere when continuous.
	first, last, continuous bool
	// beside is the least distance from a jump, which rounding does not lose anywhere in the solve.
	beside float64
}

// resolution is how close two times of a solve from t0 to t1 may come before they count as one.
func resolution(t0, t1 float64) float64 {
	return 100 * ulp(math.Max(math.Abs(t0), math.Abs(t1)))
}

// ulp is the distance from |x| to the next larger float64.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// newStops lists the step-to times between t0 and t1, in the direction of the solve, and t1.
func newStops(row []float64, t0, t1 float64) stops {
	toward, near := direction(t0, t1), resolution(t0, t1)
	s := stops{beside: ulp(t1 - t0)}
	last := t0
	for i := range row {
		t := row[i]
		if direction(row[0], row[len(row)-1]) != toward {
			t = row[len(row)-1-i]
		}
		s.first = s.first || math.Abs(t-t0) <= near
		s.last = s.last || math.Abs(t-t1) <= near
		if toward*(t-last) > near && toward*(t1-t) > near {
			s.ahead = append(s.ahead, t)
			last = t
		}
	}
	s.ahead = append(s.ahead, t1)
	return s
}

// offsetAtStart is 0 where the field does not jump at t0, else a least distance ahead of it.
func (s *stops) offsetAtStart(t0, toward float64) float64 { return s.offset(s.first, t0, toward) }

// offsetAtEnd is that of the end of a step.
func (s *stops) offsetAtEnd(end, toward float64) float64 {
	return s.offset(end == s.ahead[0] && (len(s.ahead) > 1 || s.last), end, toward)
}

func (s *stops) offset(jumps bool, t, toward float64) float64 {
	if !jumps || s.continuous {
		return 0
	}
	return toward * math.Max(s.beside, ulp(t))
}

// cut ends a step from t, proposed to end at end, at the nearest stop when it would pass it, or come nearer to it than
// near.
func (s *stops) cut(t, end, near float64) float64 {
	toward := direction(t, s.ahead[len(s.ahead)-1])
	for len(s.ahead) > 1 && toward*(s.ahead[0]-t) <= 0 {
		s.ahead = s.ahead[1:]
	}
	stop := s.ahead[0]
	ahead := toward * (stop - end)
	if ahead < 0 || ahead < near && end != t {
		return stop
	}
	return end
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
			switch {
			case !finite(t):
				return nil, &InputError{What: what, Sample: b, Entry: i, Value: t, Want: "a finite time"}
			case i > 0 && direction(row[i-1], t)*direction(row[0], row[1]) <= 0:
				return nil, &InputError{What: what, Sample: b, Entry: i, Value: t, Want: "times in strict order: none twice, none turning back"}
			}
		}
	}
	return rows, nil
}
