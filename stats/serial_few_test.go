package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSerialCIOfFewWindows measures the table of docs/statistics.md: the rate at which a true hypothesis is rejected if
// the windows are few for the lag, and errors are dependent over all or part of it. It also measures the shares of
// small p values that the page names.
func TestSerialCIOfFewWindows(t *testing.T) {
	const lag, trials = 12, 5000
	smallP := map[int]float64{1: 0.002, 3: 0.012, 13: 0.10} // by steps, for 20 windows
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		windows, steps int
		share          float64 // as the table has it
	}{
		{14, 1, .02}, {14, 3, .09}, {14, 13, .33},
		{20, 1, .02}, {20, 3, .08}, {20, 13, .24},
		{27, 1, .02}, {27, 3, .06}, {27, 13, .21},
	} {
		rejected, small := 0, 0
		for range trials {
			noise := make([]float64, c.windows+c.steps)
			for i := range noise {
				noise[i] = rng.NormFloat64()
			}
			values := make([]float64, c.windows)
			for i := range values {
				for _, x := range noise[i : i+c.steps] {
					values[i] += x
				}
			}
			if mean, half := SerialCI(values, lag); math.Abs(mean) > half { // as p < 0.05, but faster
				rejected++
				if c.windows == 20 && SerialP(values, lag) <= 0.005 {
					small++
				}
			}
		}
		share := float64(rejected) / trials
		t.Logf("%d windows, moving averages over %d steps: %.3f rejected", c.windows, c.steps, share)
		if share < c.share-0.015 || share > c.share+0.015 {
			t.Errorf("%d windows, moving averages over %d steps: %.3f rejected, the table has %.2f",
				c.windows, c.steps, share, c.share)
		}
		if want, ok := smallP[c.steps]; ok && c.windows == 20 {
			share := float64(small) / trials
			t.Logf("%d windows, moving averages over %d steps: %.4f have p below 0.005", c.windows, c.steps, share)
			if math.Abs(share-want) > 0.005+want/10 {
				t.Errorf("%d windows, moving averages over %d steps: %.4f have p below 0.005, the page has %.3f", c.windows,
					c.steps, share, want)
			}
		}
	}
}
