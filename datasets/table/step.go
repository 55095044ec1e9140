package table

import (
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Step is the length of a snapshot: a Number in the unit of times that are numbers, or a Duration for dates. In JSON
// and on command lines it is text, see [ParseStep].
type Step struct {
	Number   float64
	Duration time.Duration
}

var daysAndWeeks = regexp.MustCompile(`^([0-9]+)([dw])$`)

// ParseStep parses a number ("0.5"), whole days or weeks ("1d", "2w"), a duration as for [time.ParseDuration] ("12h",
// "15m"), or an empty text.
func ParseStep(text string) (Step, error) {
	if text == "" {
		return Step{}, nil
	}
	step, ok := stepOf(text)
	if !ok || step == (Step{}) {
		return Step{}, invalid("step %s, want a positive number in the unit of the times, or a duration such as \"1d\", "+
			"\"2w\", \"12h\"", errs.Quote(text))
	}
	return step, step.check()
}

func stepOf(text string) (step Step, ok bool) {
	if number, ok := csvrows.ParseNumber(text); ok {
		return Step{Number: number}, true
	}
	if parts := daysAndWeeks.FindStringSubmatch(text); parts != nil {
		unit := 24 * time.Hour
		if parts[2] == "w" {
			unit *= 7
		}
		count, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil || count > math.MaxInt64/int64(unit) {
			return Step{}, false
		}
		return Step{Duration: time.Duration(count) * unit}, true
	}
	duration, err := time.ParseDuration(text)
	return Step{Duration: duration}, err == nil
}

// String returns the text that [ParseStep] parses.
func (s Step) String() string {
	const day = 24 * time.Hour
	switch {
	case s.Duration != 0 && s.Duration%day == 0:
		return strconv.FormatInt(int64(s.Duration/day), 10) + "d"
	case s.Duration != 0:
		return s.Duration.String()
	case s.Number != 0:
		return strconv.FormatFloat(s.Number, 'g', -1, 64)
	}
	return ""
}

// MarshalText returns [Step.String].
func (s Step) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses a text by [ParseStep].
func (s *Step) UnmarshalText(text []byte) error {
	step, err := ParseStep(string(text))
	if err == nil {
		*s = step
	}
	return err
}

func (s Step) check() error {
	switch {
	case s.Number != 0 && s.Duration != 0:
		return invalid("step %g and %v, want a number or a duration", s.Number, s.Duration)
	case !(s.Number >= 0) || math.IsInf(s.Number, 0) || s.Number != 0 && s.Number < 1e-300:
		return invalid("step %g, want a positive number", s.Number)
	case s.Duration < 0 || s.Duration%time.Microsecond != 0:
		return invalid("step %v, want a positive duration in whole microseconds", s.Duration)
	}
	return nil
}
