package csvrows_test

import (
	"math"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-2.5": -2.5, "+3e2": 300, "0": 0, "-0.000": 0, "0e7": 0,
		"0e-999": 0, ".5": 0.5, "5.": 5, "5e-324": 5e-324, "1e308": 1e308, "inf": math.Inf(1)} {
		if got, ok := csvrows.ParseNumber(text); !ok || got != want || csvrows.WhyNot(text) != "" {
			t.Errorf("%q is %v, %v%s, want %v", text, got, ok, csvrows.WhyNot(text), want)
		}
	}
	for text, why := range map[string]string{"": "", "abc": "", "1,5": "", "1 000": "", "x": "", "_": "",
		"1_000": "decimal digits", "0x1p3": "decimal digits", "0X1P3": "decimal digits", "0x_1p3": "decimal digits",
		"1e-400": "too close to 0", "-0.3E-330": "too close to 0", "1e400": "too large", "-1_0e400": "too large"} {
		if got, ok := csvrows.ParseNumber(text); ok || why == "" && csvrows.WhyNot(text) != "" ||
			!strings.Contains(csvrows.WhyNot(text), why) {
			t.Errorf("%q is %v, %v%s, want none, %q", text, got, ok, csvrows.WhyNot(text), why)
		}
	}
}
