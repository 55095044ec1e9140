package figures

import (
	"regexp"
	"strconv"
	"testing"
)

// The text of a missing result stands on the side that is free of its other results, else higher than these by more
// than half a diamond.
func TestMissingBesideOtherResults(t *testing.T) {
	find := regexp.MustCompile(`<text [^>]*\bx="([^"]*)" y="([^"]*)"[^>]*>1 of 3 seeds<`)
	position := func(value Cell, seeds ...float64) (x, up float64) {
		t.Helper()
		f, err := Dots(Axes{}, DotRow{Value: value, Seeds: seeds, None: "1 of 3 seeds"}, DotRow{Value: Number(1)},
			DotRow{Value: Number(0)})
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		found := find.FindSubmatch(svg)
		if found == nil {
			t.Fatalf("no text in %s", svg)
		}
		x, errX := strconv.ParseFloat(string(found[1]), 64)
		y, errY := strconv.ParseFloat(string(found[2]), 64)
		if errX != nil || errY != nil {
			t.Fatal(errX, errY)
		}
		return x, -y
	}
	x, up := position(Missing(), 0.9)
	if right, same := position(Missing().Published(Number(0.1)), 0.2); !(right > x+100) || same != up {
		t.Errorf("at %g, %g with results on the left, %g, %g without", right, same, x, up)
	}
	if left, raised := position(Missing().Published(Number(0.1)), 0.99); left != x || raised-up < 4 {
		t.Errorf("at %g, %g with results on both sides, %g, %g without", left, raised, x, up)
	}
}
