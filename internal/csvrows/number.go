package csvrows

import (
	"errors"
	"strconv"
	"strings"
)

// ParseNumber reads a number in decimal, NaN or an infinity. Unlike [strconv.ParseFloat] it refuses hexadecimal, such
// as 0x1p3, separators, such as 1_000, and a number that is not 0 but would be read as 0, such as 1e-400.
func ParseNumber(text string) (value float64, ok bool) {
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && !otherForm(text) && !(value == 0 && hasDigit(text))
}

// WhyNot says, after a text that [ParseNumber] refuses though it looks like a number, why: ", which is too close to 0
// for a float64". It is "" for other texts.
func WhyNot(text string) string {
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return ", which is too large for a float64"
	case err != nil:
		return ""
	case otherForm(text):
		return ", which is not in decimal digits without separators"
	case value == 0 && hasDigit(text):
		return ", which is too close to 0 for a float64"
	}
	return ""
}

func otherForm(text string) bool { return strings.ContainsAny(text, "xX_") }

// hasDigit says whether a number in decimal has a digit that is not 0 before its exponent.
func hasDigit(text string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.ContainsAny(mantissa, "123456789")
}
