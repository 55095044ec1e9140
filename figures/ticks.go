package figures

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Numbers beyond these would overflow while an axis is laid out around them.
const (
	mostFinite = 1e300
	leastLog   = 1e-305
)

// finite reports whether v can be drawn.
func finite(v float64) bool { return math.Abs(v) <= mostFinite }

// scale is the range of an axis or of colours.
type scale struct {
	min, max   float64
	log, whole bool // whole: no drawn value has a fraction
}

// holds reports whether v lies in the range.
func (s scale) holds(v float64) bool { return v >= s.min && v <= s.max }

// part returns the position of v in the range, from 0 to 1; NaN for NaN.
func (s scale) part(v float64) float64 {
	if s.log {
		return math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return (v - s.min) / (s.max - s.min)
}

// fit returns a scale with all finite values, extended by a fraction pad of its length at both ends. Linear scales that
// come near zero from one side start at zero.
func fit(log bool, pad float64, groups ...[]float64) (s scale, ok bool) {
	low, high, whole := math.Inf(1), math.Inf(-1), true
	for _, values := range groups {
		for _, v := range values {
			if finite(v) && (!log || v > 0) {
				low, high, whole = math.Min(low, v), math.Max(high, v), whole && v == math.Trunc(v)
			}
		}
	}
	if low > high {
		return scale{min: 0, max: 1}, false
	}
	if log {
		if high < low*1.001 {
			low, high = low/2, high*2
		}
		more := math.Exp(pad * (math.Log(high) - math.Log(low)))
		return scale{min: math.Max(low/more, leastLog), max: math.Min(high*more, mostFinite), log: true}, true
	}
	if high-low <= 1e-12*math.Max(math.Abs(low), math.Abs(high)) {
		more := cmp.Or(math.Abs(high)/2, 1)
		return scale{min: low - more, max: high + more, whole: whole}, true
	}
	s = scale{min: low - pad*(high-low), max: high + pad*(high-low), whole: whole}
	if pad > 0 {
		switch near := 0.25 * (high - low); {
		case low >= 0 && low <= near:
			s.min = 0
		case high <= 0 && -high <= near:
			s.max = 0
		}
	}
	return s, true
}

// ticks places about want round values on an axis. gonum's tickers take no number, and its logarithmic ticker neither
// thins labels nor labels parts of a decade.
type ticks struct {
	want       int
	log, whole bool // whole numbers, for days, epochs and nodes
}

// Ticks returns labelled ticks inside the range, exactly: gonum keeps no room for the label of one that rounding put
// outside.
func (t ticks) Ticks(low, high float64) []plot.Tick {
	found := t.near(low, high)
	for i, tick := range found {
		found[i].Value = min(max(tick.Value, low), high)
	}
	return found
}

// near returns ticks that may be outside the range by rounding.
func (t ticks) near(low, high float64) (found []plot.Tick) {
	t.want = max(t.want, 2)
	if t.log {
		if found = t.logTicks(low, high); len(found) >= 2 {
			return found
		}
		found = nil
	}
	step := niceStep((high - low) / float64(t.want))
	if t.whole {
		step = math.Max(1, math.Ceil(step))
	}
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	if !(last-first < 1000) {
		return nil
	}
	// All are written in one form: plain, in millions or billions, or with a power of ten.
	unit, suffix := 1.0, ""
	switch largest := step * max(1, -first, last); {
	case largest >= 1e13 || largest < 1e-3:
		exponent := math.Floor(math.Log10(largest) + 1e-9)
		unit, suffix = math.Pow(10, exponent), " × "+powerOfTen(exponent)
	case largest >= 1e9:
		unit, suffix = 1e9, " G"
	case largest >= 1e6:
		unit, suffix = 1e6, " M"
	}
	decimals := int(math.Max(0, -math.Floor(math.Log10(step/unit)+1e-9)))
	for i := first; i <= last; i++ {
		tick := plot.Tick{Value: i * step, Label: "0"}
		if i != 0 {
			tick.Label = decimal(tick.Value/unit, decimals) + suffix
			if last*step < 10_000 { // so that years read as years
				tick.Label = strings.ReplaceAll(tick.Label, ",", "")
			}
		}
		found = append(found, tick)
	}
	return found
}

// niceStep rounds to 1, 2 or 5 times a power of ten.
func niceStep(raw float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	switch m := raw / unit; { // the limits are the geometric means of neighbours
	case m <= math.Sqrt(1*2):
		return unit
	case m <= math.Sqrt(2*5):
		return 2 * unit
	case m <= math.Sqrt(5*10):
		return 5 * unit
	}
	return 10 * unit
}

// logTicks returns powers of ten, thinned to about want, or 1, 2 and 5 times them where they are few.
func (t ticks) logTicks(min, max float64) (found []plot.Tick) {
	low, high := math.Log10(min), math.Log10(max)
	decades := math.Floor(high+1e-9) - math.Ceil(low-1e-9) + 1
	if decades < 3 && high < 5 && low > -4 {
		for e := math.Floor(low); e <= math.Ceil(high); e++ {
			for _, m := range []float64{1, 2, 5} {
				v := m * math.Pow(10, e)
				if at := math.Log10(v); at > low-1e-9 && at < high+1e-9 {
					found = append(found, plot.Tick{Value: v, Label: decimal(v, int(math.Max(0, -e)))})
				}
			}
		}
		return found
	}
	every := math.Max(1, math.Ceil(decades/float64(t.want+1)))
	for e := math.Ceil(low - 1e-9); e <= high+1e-9; e++ {
		if math.Mod(e, every) != 0 {
			continue
		}
		found = append(found, plot.Tick{Value: math.Pow(10, e), Label: powerOfTen(e)})
	}
	if n := len(found); n > 0 && found[0].Value > 0.9e-3 && found[n-1].Value < 1.1e5 { // all in one form
		for i, tick := range found {
			found[i].Label = decimal(tick.Value, int(math.Max(0, -math.Round(math.Log10(tick.Value)))))
		}
	}
	return found
}

// decimal formats v with commas between thousands and a true minus sign.
func decimal(v float64, decimals int) string {
	s := strings.Replace(strconv.FormatFloat(math.Abs(v), 'f', decimals, 64), "+Inf", "∞", 1)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 {
		return "−" + whole
	}
	return whole
}

// powerOfTen formats an exponent that a handler raises.
func powerOfTen(exponent float64) string {
	return "10" + power + strings.Replace(strconv.Itoa(int(exponent)), "-", "−", 1)
}
