package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// With lag 0 the distribution is Student's.
func TestSerialNullIsStudent(t *testing.T) {
	for _, k := range []int{2, 3, 10, 40} {
		null := newSerialNull(k, 0)
		for _, x := range []float64{0.1, 1, 2.5, 10} {
			got, want := null.survival(x), 2*distuv.StudentsT{Sigma: 1, Nu: float64(k - 1)}.Survival(x)
			if !(math.Abs(got-want) <= 1e-11*want) {
				t.Errorf("k = %d: p of %g is %g, want %g", k, x, got, want)
			}
		}
	}
}

// With many values it is the distribution whose quantiles Kiefer and Vogelsang (2005, table 1) fit for Bartlett
// weights. Their fit to a simulation is good to 2%, and 300 values are that near to infinitely many.
func TestSerialNullIsKieferVogelsang(t *testing.T) {
	const k = 300
	for p, c := range map[float64][4]float64{
		0.20: {1.2816, 1.3040, 0.5135, -0.3386}, 0.10: {1.6449, 2.1859, 0.3142, -0.3427},
		0.05: {1.9600, 2.9694, 0.4160, -0.5324}, 0.02: {2.3263, 4.1618, 0.5368, -0.9060},
	} {
		for _, lag := range []int{14, 89, 149, 239} {
			b := (float64(lag) + 1) / k
			null := newSerialNull(k, lag)
			got, want := null.quantile(p), c[0]+b*(c[1]+b*(c[2]+b*c[3]))
			if !(math.Abs(got-want) <= 0.02*want) {
				t.Errorf("p = %g, b = %g: quantile %.4f, want %.4f", p, b, got, want)
			}
			if back := null.survival(got); !(math.Abs(back-p) <= 1e-11*p) {
				t.Errorf("p = %g, b = %g: the quantile has p = %.15g", p, b, back)
			}
		}
	}
}

// A p value is below 0.05 exactly if the interval excludes 0.
func TestPAgreesWithInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rejected := 0
	for range 600 {
		k := 2 + rng.IntN(18)
		values, before := make([]float64, k), 0.0
		for i := range values {
			before = rng.NormFloat64() + 0.5*before
			values[i] = before + 0.8
		}
		lag := rng.IntN(k + 2)
		for _, c := range []Test{{CI: MeanCI, P: MeanP}, SharedTraining(0.25), Overlapping(lag)} {
			mean, half := c.CI(values)
			p := c.P(values)
			if !(p >= 0 && p <= 1) || (p < 0.05) != (math.Abs(mean) > half) {
				t.Errorf("%d values, lag %d: %g ± %g with p = %g", k, lag, mean, half, p)
			}
			if p < 0.05 {
				rejected++
			}
		}
	}
	if rejected < 200 || rejected > 1600 {
		t.Errorf("%d of 1800 rejected, want many on both sides", rejected)
	}
}

func TestPOfFewValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		got  float64
		want float64
	}{
		{"no value", MeanP(nil), nan}, {"no serial value", SerialP(nil, 2), nan},
		{"negative lag", SerialP([]float64{1, 2}, -1), nan}, {"negative ratio", CorrectedP([]float64{1, 2}, -1), nan},
		{"NaN", MeanP([]float64{1, nan}), nan}, {"one value", MeanP([]float64{1}), 1},
		{"zeros", MeanP([]float64{0, 0}), 1}, {"serial zeros", SerialP([]float64{0, 0, 0}, 1), 1},
		{"equal values", MeanP([]float64{1, 1}), 0}, {"serial equal values", SerialP([]float64{1, 1, 1}, 1), 0},
		{"all windows overlap", SerialP([]float64{1, 1.1, 1.2}, 3), 1},
	} {
		if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
			t.Errorf("%s: p = %g, want %g", c.name, c.got, c.want)
		}
	}
}

// Errors of forecasts two steps ahead are moving averages. Their p value is nearly uniform; the p value for independent
// values rejects three times as often as the nominal rate.
func TestSerialPIsCalibrated(t *testing.T) {
	const k, lag, trials = 24, 4, 2000
	rng := rand.New(rand.NewPCG(3, 4))
	var serial, plain [2]int
	levels := [2]float64{0.05, 0.01}
	for range trials {
		before, values := rng.NormFloat64(), make([]float64, k)
		for i := range values {
			now := rng.NormFloat64()
			values[i], before = now+before, now
		}
		p, naive := SerialP(values, lag), MeanP(values)
		for i, level := range levels {
			if p <= level {
				serial[i]++
			}
			if naive <= level {
				plain[i]++
			}
		}
	}
	for i, level := range levels {
		share, naive := float64(serial[i])/trials, float64(plain[i])/trials
		t.Logf("level %g: %.4f rejected, as if independent %.4f", level, share, naive)
		if share < 0.5*level || share > 1.9*level || naive < 3*level {
			t.Errorf("level %g: %.4f rejected, as if independent %.4f", level, share, naive)
		}
	}
}
