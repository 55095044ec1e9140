package forecast

import (
	"errors"
	"testing"
)

// Errors stay short, however small or large they are.
func TestDigitsOfErrors(t *testing.T) {
	for v, want := range map[float64]string{0: "0.000", 1.23456: "1.235", 0.0005: "0.001", 0.00012345: "0.00012",
		-0.00012: "-0.00012", 999999: "999999.000", 3.0628e15: "3.063e+15", -2e6: "-2.000e+06"} {
		if got := digits(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

// A series that is nil is an error, not a panic.
func TestAheadWithoutSeries(t *testing.T) {
	if _, err := (&Model{}).Ahead(t.Context(), nil); !errors.Is(err, ErrInput) {
		t.Errorf("%v, want ErrInput", err)
	}
}
