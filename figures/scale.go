package figures

import (
	"math"
	"strconv"
	"strings"
)

// scale maps values to [0, 1] along an axis or a colour bar.
type scale struct {
	min, max float64
	log      bool
}

// at returns the place of v; values at or below zero lie below a logarithmic scale.
func (s scale) at(v float64) float64 {
	if s.log {
		if v <= 0 {
			return -1
		}
		return (math.Log(v) - math.Log(s.min)) / (math.Log(s.max) - math.Log(s.min))
	}
	return (v - s.min) / (s.max - s.min)
}

// Numbers beyond these would overflow while an axis is laid out around them.
const (
	mostFinite = 1e300
	leastLog   = 1e-305
)

// finite reports whether v can be drawn.
func finite(v float64) bool { return math.Abs(v) <= mostFinite }

// fit returns a scale that holds all finite values with a share pad of free room at both ends. Linear scales that
// come near zero from one side start at zero.
func fit(log bool, pad float64, groups ...[]float64) (s scale, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, values := range groups {
		for _, v := range values {
			if !finite(v) || log && v <= 0 {
				continue
			}
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if low > high {
		return scale{min: 0, max: 1}, false
	}
	if log {
		if high < low*1.001 {
			low, high = low/2, high*2
		}
		room := math.Exp(pad * (math.Log(high) - math.Log(low)))
		return scale{min: math.Max(low/room, leastLog), max: math.Min(high*room, mostFinite), log: true}, true
	}
	if high-low <= 1e-12*math.Max(math.Abs(low), math.Abs(high)) {
		room := math.Abs(high) / 2
		if room == 0 {
			room = 1
		}
		return scale{min: low - room, max: high + room}, true
	}
	room := pad * (high - low)
	s = scale{min: low - room, max: high + room}
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

// tick is a labelled place on a scale; power is the exponent that follows the label, raised.
type tick struct {
	value        float64
	label, power string
}

// ticks returns about want round values inside the scale.
func (s scale) ticks(want int) []tick {
	if want < 2 {
		want = 2
	}
	if s.log {
		if t := s.logTicks(want); len(t) >= 2 {
			return t
		}
	}
	step := niceStep((s.max - s.min) / float64(want))
	return linearTicks(s.min, s.max, step)
}

// wholeTicks is ticks for counts, such as days and epochs.
func (s scale) wholeTicks(want int) []tick {
	return linearTicks(s.min, s.max, math.Max(1, math.Ceil(niceStep((s.max-s.min)/float64(max(want, 2))))))
}

// niceStep rounds to 1, 2 or 5 times a power of ten.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	switch m := raw / power; { // the limits are the geometric means of neighbours
	case m <= math.Sqrt(1*2):
		return power
	case m <= math.Sqrt(2*5):
		return 2 * power
	case m <= math.Sqrt(5*10):
		return 5 * power
	}
	return 10 * power
}

func linearTicks(low, high, step float64) []tick {
	first := math.Ceil(low/step - 1e-9)
	last := math.Floor(high/step + 1e-9)
	if !(last-first < 1000) {
		return nil
	}
	values := make([]float64, 0, 16)
	for i := first; i <= last; i++ {
		values = append(values, i*step)
	}
	return labelled(values, step)
}

// logTicks returns powers of ten, thinned to about want, or 1, 2 and 5 times them where they are few.
func (s scale) logTicks(want int) []tick {
	low, high := math.Log10(s.min), math.Log10(s.max)
	decades := math.Floor(high+1e-9) - math.Ceil(low-1e-9) + 1
	if decades < 3 {
		var ticks []tick
		for e := math.Floor(low); e <= math.Ceil(high); e++ {
			for _, m := range []float64{1, 2, 5} {
				v := m * math.Pow(10, e)
				if at := s.at(v); at > -1e-9 && at < 1+1e-9 {
					ticks = append(ticks, tick{value: v, label: plain(v, int(math.Max(0, -e)))})
				}
			}
		}
		if high < 5 && low > -4 {
			return ticks
		}
	}
	every := math.Max(1, math.Ceil(decades/float64(want+1)))
	if !(decades < 1000) {
		return nil
	}
	asPower := low < -3.5 || high > 5.5
	var ticks []tick
	for e := math.Ceil(low - 1e-9); e <= high+1e-9; e++ {
		if math.Mod(e, every) != 0 {
			continue
		}
		t := tick{value: math.Pow(10, e)}
		if asPower {
			t.label, t.power = "10", minus(strconv.Itoa(int(e)))
		} else {
			t.label = plain(t.value, int(math.Max(0, -e)))
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// labelled writes all values in one form: plain, in millions or billions, or with a power of ten.
func labelled(values []float64, step float64) []tick {
	largest := step
	for _, v := range values {
		largest = math.Max(largest, math.Abs(v))
	}
	unit, suffix, power := 1.0, "", 0
	switch {
	case largest >= 1e13 || largest < 1e-3:
		power = int(math.Floor(math.Log10(largest) + 1e-9))
		unit = math.Pow(10, float64(power))
	case largest >= 1e9:
		unit, suffix = 1e9, " G"
	case largest >= 1e6:
		unit, suffix = 1e6, " M"
	}
	decimals := int(math.Max(0, -math.Floor(math.Log10(step/unit)+1e-9)))
	ticks := make([]tick, len(values))
	for i, v := range values {
		ticks[i] = tick{value: v, label: "0"}
		if math.Abs(v) < step/2 {
			continue
		}
		ticks[i].label = plain(v/unit, decimals) + suffix
		if power != 0 {
			ticks[i].label += " × 10"
			ticks[i].power = minus(strconv.Itoa(power))
		}
	}
	return ticks
}

// plain writes v with thousands apart and a true minus sign.
func plain(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
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

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }
