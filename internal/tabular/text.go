package tabular

import (
	"math"
	"strconv"
	"time"
)

// FormatTime returns a time as in RFC 3339, with the fraction of its second, or its date alone.
func FormatTime(at time.Time, dateOnly bool) string {
	if dateOnly {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.RFC3339Nano)
}

// WholeDay reports whether a time is midnight UTC.
func WholeDay(at time.Time) bool { return at.Equal(at.Truncate(24 * time.Hour)) }

// FormatNumber returns a number with all its digits, without an exponent for usual sizes.
func FormatNumber(v float64) string {
	const least, most = 1e-5, 1e17 // above the whole numbers that a float64 holds
	if size := math.Abs(v); size != 0 && (size < least || size >= most) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Rounded returns a number rounded to so many digits.
func Rounded(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // of its own output
	return rounded
}
