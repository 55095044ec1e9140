package figures

import (
	"regexp"
	"strconv"
	"testing"
)

// The text of a missing result does not cross its published result: it stands higher, by more than half a diamond.
func TestMissingAbovePublished(t *testing.T) {
	height := func(value Cell) float64 {
		t.Helper()
		f, err := Dots(Axes{}, DotRow{Value: value, None: "1 of 3 seeds"}, DotRow{Value: Number(1)})
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`<text [^>]*\by="([^"]*)"[^>]*>1 of 3 seeds<`).FindSubmatch(svg)
		if found == nil {
			t.Fatalf("no text in %s", svg)
		}
		y, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return -y // from the bottom
	}
	if free, published := height(Missing()), height(Missing().Published(Number(0.5))); published-free < 4 {
		t.Errorf("the text stands at %g, and with a published result at %g", free, published)
	}
}
