package figures

import (
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ranking is of k models, of which neighbours within 2 ranks are joined.
func ranking(k int) Ranking {
	names := []string{"PENG-CDE beside a linear part, tuned on validation", "Ridge", "PENG-CDE", "Mean of recent values",
		"STIDGCN", "STG-NCDE", "GN-ODE", "DCRNN", "Original GN-CDE", "ASTGCN, as published", "DCRNN, as published", "Zero",
		"Last visible value"}
	r := Ranking{}
	for i := range k {
		rank := 1.2 + float64(i)*(float64(k)-1.4)/float64(k-1)
		r.Models = append(r.Models, RankedModel{Name: names[i], Rank: rank, Style: StyleOf(i)})
	}
	for i := 0; i+2 < k; i += 2 {
		r.Groups = append(r.Groups, []int{i, i + 1, i + 2})
	}
	slices.Reverse(r.Models) // the order of the input does not matter
	return r
}

func mustRank(t *testing.T, axes Axes, r Ranking) *Figure {
	t.Helper()
	f, err := CriticalDifference(axes, r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// No text lies over another or outside the drawing, and no line runs through a name.
func TestRankingTextsAreApart(t *testing.T) {
	for _, k := range []int{2, 3, 7, 13} {
		svg, err := mustRank(t, Axes{Title: "Ranks"}, ranking(k)).SVG()
		if err != nil {
			t.Fatal(err)
		}
		type box struct {
			text           string
			left, right, y float64
		}
		var boxes []box
		decoder := xml.NewDecoder(strings.NewReader(string(svg)))
		for {
			token, err := decoder.Token()
			if err != nil {
				break
			}
			start, ok := token.(xml.StartElement)
			if !ok || start.Name.Local != "text" {
				continue
			}
			var b box
			var width float64
			for _, a := range start.Attr {
				to := map[string]*float64{"x": &b.left, "y": &b.y, "textLength": &width}[a.Name.Local]
				if to != nil {
					if _, err := fmt.Sscan(a.Value, to); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := decoder.DecodeElement(&b.text, &start); err != nil {
				t.Fatal(err)
			}
			b.right = b.left + width
			boxes = append(boxes, b)
		}
		if len(boxes) < 2*k+2 {
			t.Fatalf("%d texts for %d models: %v", len(boxes), k, boxes)
		}
		for i, a := range boxes {
			if a.left < 0 || a.right > defaultWidth {
				t.Errorf("%d models: %+v is outside", k, a)
			}
			for _, b := range boxes[:i] {
				if max(a.left, b.left) < min(a.right, b.right) && max(a.y-b.y, b.y-a.y) < 9 {
					t.Errorf("%d models: %+v over %+v", k, a, b)
				}
			}
		}
	}
}

// Bars that share no rank share a level, others have levels of their own.
func TestRankingLevels(t *testing.T) {
	r := ranking(13)
	r.Models, r.Groups = r.sorted()
	if got := r.levels(); !slices.Equal(got, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("levels %v, want two in turn", got)
	}
	r.Groups = [][]int{{0, 1}, {3, 4}, {6, 12}}
	if got := r.levels(); !slices.Equal(got, []int{0, 0, 0}) {
		t.Errorf("levels %v of bars side by side", got)
	}
}

// A file has the notes drawn below; on a page they are text, which wraps as the page's does.
func TestRankingCaption(t *testing.T) {
	f := mustRank(t, Axes{Title: "Ranks", Notes: []string{"p < 0.001, of all"}}, ranking(4))
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := texts(t, svg); !strings.Contains(text, "p < 0.001, of all") {
		t.Errorf("the file lacks its caption: %q", text)
	}
	page, err := f.HTML()
	if err != nil {
		t.Fatal(err)
	}
	drawing, caption, _ := strings.Cut(page, "</svg>")
	if strings.Contains(drawing, "of all</text>") || !strings.Contains(caption, ">p &lt; 0.001, of all</p>") {
		t.Errorf("caption %q", caption)
	}
	high := regexp.MustCompile(`height="([0-9.]+)"`)
	inFile, onPage := high.FindSubmatch(svg), high.FindStringSubmatch(drawing)
	a, _ := strconv.ParseFloat(string(inFile[1]), 64)
	if b, _ := strconv.ParseFloat(onPage[1], 64); !(math.Abs(a-b-96.0/72*(noteLine+gap)) <= 0.02) {
		t.Errorf("%g pixels high in a file and %g on a page, want a line less", a, b)
	}
}

// More notes make the figure higher; a figure that only says something is low.
func TestRankingHeight(t *testing.T) {
	r := ranking(7)
	_, height := mustRank(t, Axes{}, r).Size()
	if _, more := mustRank(t, Axes{Notes: []string{"a note", "another note"}}, r).Size(); more != height+2*noteLine+gap {
		t.Errorf("heights %g and %g, want two lines more", height, more)
	}
	if _, asked := mustRank(t, Axes{Height: 300}, r).Size(); asked != 300 {
		t.Errorf("height %g, want the 300 asked for", asked)
	}
	r.Instead = "No diagram."
	if _, less := mustRank(t, Axes{}, r).Size(); less > 0.5*height {
		t.Errorf("a sentence has height %g, the diagram %g", less, height)
	}
}
