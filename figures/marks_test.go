package figures

import (
	"bytes"
	"slices"
	"testing"
)

// One entry stands for all marks of a name, and none for marks that are not drawn.
func TestMarkEntries(t *testing.T) {
	x := scale{min: 0, max: 10}
	marks := []Mark{{"before", -1, true}, {"event", 12, false}, {"event", 2, false}, {"end", 8, true},
		{"event", 3, false}, {"", 5, false}, {"at the edge", 10, false}}
	var names []string
	for _, e := range markEntries(marks, x) {
		names = append(names, e.name)
	}
	if want := []string{"event", "end", "at the edge"}; !slices.Equal(names, want) {
		t.Errorf("entries %q, wanted %q", names, want)
	}
}

// Marks inside the data are drawn before the data, faint ones first, and those outside change nothing.
func TestMarksAreBehindTheData(t *testing.T) {
	svg := func(marks ...Mark) []byte {
		t.Helper()
		f := mustLines(t, Axes{Marks: marks})
		out, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	bare := svg()
	if !bytes.Equal(bare, svg(Mark{"outside", -5, true}, Mark{"outside", 3, false})) { // three values: X is 0 to 2
		t.Error("marks outside the data change the figure")
	}
	_, marked, _ := bytes.Cut(svg(Mark{"", 1.5, true}, Mark{"", 0.5, false}), []byte("</style>"))
	faint := bytes.Index(marked, []byte("stroke-opacity:0.5"))
	bold := bytes.Index(marked, []byte("stroke:#222222"))
	data := bytes.LastIndex(marked, []byte("stroke:#0072B2"))
	if !(0 < faint && faint < bold && bold < data) {
		t.Errorf("faint mark at %d, bold at %d, data at %d of the SVG, wanted this order", faint, bold, data)
	}
}
