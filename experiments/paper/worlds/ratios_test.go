package worlds

import (
	"math"
	"testing"
)

// A change has one form for its value and its interval.
func TestChange(t *testing.T) {
	for _, c := range []struct {
		ratio, half float64 // half is a factor too, 1 for no interval
		want        string
	}{
		{1, 1, "0% lower"}, {0.6, 1, "40% lower"}, {0.5, 1, "2 times lower"}, {1.25, 1, "25% higher"},
		{20, 1, "20 times higher"}, {1e-5, 1, "100000 times lower"}, {1.1e22, 1, "over a million times higher"},
		{1234, 1, "1200 times higher"}, {1. / 7.7, 1, "7.7 times lower"},
		{1. / 8, 2, "8 times lower (4 to 16 times)"}, {8, 2, "8 times higher (4 to 16 times)"},
		{4, 8, "4 times higher (2 times lower to 32 times higher)"}, {0.8, 1.2, "20% lower (4 to 33%)"},
		{0.8, 2, "20% lower (60% lower to 60% higher)"}, {1e4, 1e3, "10000 times higher (10 to over a million times)"},
	} {
		if got := change(math.Log(c.ratio), math.Log(c.half)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
