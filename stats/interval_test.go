package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peng-cde/pengcde-go/stats"
)

// Quantiles of Student's distribution as tabulated, to their printed digits.
func TestMeanCI(t *testing.T) {
	for _, c := range []struct {
		name            string
		values          []float64
		mean, halfWidth float64
	}{
		{"one degree of freedom", []float64{0, 2}, 1, 12.7062},                    // s/sqrt(2) = 1
		{"two degrees of freedom", []float64{1, 2, 3}, 2, 4.30265 / math.Sqrt(3)}, // s = 1
		{"nine", []float64{1, -1, 1, -1, 1, -1, 1, -1, 1, -1}, 0, 2.26216 / 3},    // s/sqrt(10) = 1/3
		{"equal values", []float64{.5, .5, .5}, .5, 0},
	} {
		mean, halfWidth := stats.MeanCI(c.values)
		if !(math.Abs(mean-c.mean) <= 1e-14) || !(math.Abs(halfWidth-c.halfWidth) <= 1e-5*c.halfWidth) {
			t.Errorf("%s: %g ± %g, want %g ± %g", c.name, mean, halfWidth, c.mean, c.halfWidth)
		}
	}
	if mean, halfWidth := stats.MeanCI([]float64{3}); mean != 3 || !math.IsInf(halfWidth, 1) {
		t.Errorf("one value: %g ± %g, want 3 ± +Inf", mean, halfWidth)
	}
	if mean, halfWidth := stats.MeanCI(nil); !math.IsNaN(mean) || !math.IsNaN(halfWidth) {
		t.Errorf("no values: %g ± %g, want NaN", mean, halfWidth)
	}
}

func TestCorrectedCI(t *testing.T) {
	// k = 3, s = 1, t(0.975; 2) = 4.30265: with two test windows for six of training, sqrt(1/3 + 1/3).
	mean, half := stats.CorrectedCI([]float64{1, 2, 3}, 2./6)
	if want := 4.30265 * math.Sqrt(2./3); mean != 2 || !(math.Abs(half-want) <= 1e-4) {
		t.Errorf("%g ± %g, want 2 ± %g", mean, half, want)
	}
	_, plain := stats.MeanCI([]float64{1, 2, 3})
	if _, half := stats.CorrectedCI([]float64{1, 2, 3}, 0); half != plain {
		t.Errorf("without overlap ± %g, want that of independent values, %g", half, plain)
	}
	if mean, half := stats.CorrectedCI([]float64{3}, .2); mean != 3 || !math.IsInf(half, 1) {
		t.Errorf("one value: %g ± %g, want 3 ± +Inf", mean, half)
	}
	for _, ratio := range []float64{-1, math.NaN()} {
		if _, half := stats.CorrectedCI([]float64{1, 2}, ratio); !math.IsNaN(half) {
			t.Errorf("ratio %g: half-width %g, want NaN", ratio, half)
		}
	}
}

func TestSerialCI(t *testing.T) {
	// Deviations -1.5, -0.5, 0.5, 1.5: g(0) = 5/3, g(1) = 1.25/3, variance (5/3 + 1.25/3)/4; b = 1/2,
	// t(0.975; 3) = 3.18245.
	mean, half := stats.SerialCI([]float64{1, 2, 3, 4}, 1)
	want := (3.18245 + 2.9694/2 + 0.4160/4 - 0.5324/8) * math.Sqrt((5+1.25)/3/4)
	if mean != 2.5 || !(math.Abs(half-want) <= 1e-4) {
		t.Errorf("%g ± %g, want 2.5 ± %g", mean, half, want)
	}
	_, plain := stats.MeanCI([]float64{1, 2, 3, 4})
	if _, half := stats.SerialCI([]float64{1, 2, 3, 4}, 0); half != plain {
		t.Errorf("lag 0: ± %g, want that of independent values, %g", half, plain)
	}
	alternating := []float64{1, -1, 1, -1, 1, -1, 1, -1}
	_, plain = stats.MeanCI(alternating)
	if _, half := stats.SerialCI(alternating, 3); half != plain {
		t.Errorf("values that cancel: ± %g, want that of independent values, %g", half, plain)
	}
	for lag, want := range map[int]float64{4: math.Inf(1), 9: math.Inf(1), -1: math.NaN()} {
		if _, half := stats.SerialCI([]float64{1, 2, 3, 4}, lag); fmt.Sprint(half) != fmt.Sprint(want) {
			t.Errorf("lag %d: half-width %g, want %g", lag, half, want)
		}
	}
	if mean, half := stats.SerialCI(nil, 2); !math.IsNaN(mean) || !math.IsNaN(half) {
		t.Errorf("no values: %g ± %g, want NaN", mean, half)
	}
	if _, half := stats.SerialCI([]float64{.5, .5, .5}, 1); half != 0 {
		t.Errorf("equal values: ± %g, want 0", half)
	}
}

// The interval covers the mean nearly at the nominal rate, and the interval for independent values does not.
func TestSerialCICovers(t *testing.T) {
	const k, lag, trials = 20, 12, 4000
	rng := rand.New(rand.NewPCG(5, 6))
	serial, plain := 0, 0
	for range trials {
		before, values := rng.NormFloat64(), make([]float64, k)
		for i := range values {
			now := rng.NormFloat64()
			values[i], before = now+before, now // as errors of forecasts two steps ahead
		}
		mean, half := stats.SerialCI(values, lag)
		_, narrow := stats.MeanCI(values)
		if math.Abs(mean) <= half {
			serial++
		}
		if math.Abs(mean) <= narrow {
			plain++
		}
	}
	if s, p := float64(serial)/trials, float64(plain)/trials; s < .93 || s > .97 || p > .86 {
		t.Errorf("covered %.3f, and %.3f as if independent; want 0.94 and 0.83", s, p)
	}
}

func ExampleMeanCI() {
	mean, halfWidth := stats.MeanCI([]float64{0.91, 0.88, 0.95})
	fmt.Printf("%.3f ± %.3f\n", mean, halfWidth)
	// Output:
	// 0.913 ± 0.087
}

func ExampleCorrectedCI() {
	// Ten random splits of the same windows, 2 tested for 6 of training in each.
	errors := []float64{.61, .55, .70, .58, .64, .59, .66, .53, .62, .57}
	_, independent := stats.MeanCI(errors)
	mean, half := stats.CorrectedCI(errors, 2./6)
	fmt.Printf("%.3f ± %.3f (as if independent ± %.3f)\n", mean, half, independent)
	// Output:
	// 0.605 ± 0.077 (as if independent ± 0.037)
}

func ExampleSerialCI() {
	// Windows that start a step apart and overlap with the two before.
	mean, half := stats.SerialCI([]float64{.41, .44, .52, .55, .49, .38, .35, .37, .46, .50}, 2)
	fmt.Printf("%.3f ± %.3f\n", mean, half)
	// Output:
	// 0.447 ± 0.085
}
