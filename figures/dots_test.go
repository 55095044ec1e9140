package figures

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The text of a missing result stands on the side that is free of the published one, at one height.
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
	if right, same := position(Missing().Published(Number(0.1)), 0.99); !(right > x+100) || same != up {
		t.Errorf("at %g, %g with a published result on the left, %g, %g without", right, same, x, up)
	}
	if left, same := position(Missing().Published(Number(0.9)), 0.1); left != x || same != up {
		t.Errorf("at %g, %g with a published result on the right, %g, %g without", left, same, x, up)
	}
}

// Dots are drawn at every number of rows from 1, with everything that takes space around them.
func TestDotsOfFewRows(t *testing.T) {
	row := DotRow{Name: "PENG-CDE with a linear part", Value: Estimate(1, 0.2).Published(Number(1.3)),
		Seeds: []float64{0.9, 1.1}}
	axes := Axes{Title: "Test error", X: "mean squared error",
		Published: "published, Table 1 of the paper, mean of ten seeds", Dot: "one seed of the same world",
		Notes: []string{"A note."}, LogX: true, Marks: []Mark{{Name: "the best", X: 1}}}
	for rows := 1; rows <= 4; rows++ {
		for panels := 1; panels <= 4; panels++ {
			for _, width := range []float64{0, 820} {
				axes.Width = width
				panel := DotPanel{Title: "heat", Rows: slices.Repeat([]DotRow{row}, rows)}
				f, err := DotPanels(axes, slices.Repeat([]DotPanel{panel}, panels)...)
				if err == nil {
					_, err = f.HTML()
				}
				if err != nil {
					t.Errorf("%d rows, %d panels, width %g: %v", rows, panels, width, err)
				}
			}
		}
	}
}

// The key names large and faint dots as the axes say.
func TestKeyOfDots(t *testing.T) {
	row := DotRow{Name: "PENG-CDE", Value: Number(3), Seeds: []float64{1, 3}}
	f, err := Dots(Axes{Title: "Gradients", Large: "largest of all", Dot: "one world"}, row)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	for _, want := range []string{">largest of all<", ">one world<"} {
		if err != nil || !strings.Contains(string(svg), want) {
			t.Errorf("no %q in the key: %v", want, err)
		}
	}
	if strings.Contains(string(svg), ">mean<") {
		t.Error("the key says mean")
	}
}
