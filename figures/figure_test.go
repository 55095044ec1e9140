package figures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// texts parses an SVG and returns what it writes, and how many elements of each name it has.
func texts(t *testing.T, svg []byte) (text string, elements map[string]int) {
	t.Helper()
	elements = map[string]int{}
	var b strings.Builder
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	inText := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), elements
		}
		if err != nil {
			t.Fatalf("SVG does not parse: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			elements[e.Name.Local]++
			inText = e.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				b.WriteString(string(e) + "\n")
			}
		}
	}
}

func TestSVGHoldsLabels(t *testing.T) {
	made := samples(t)
	want := map[string][]string{
		"adjacency": {"Test flows between test regions", "test day 0", "test day 6", "to region", "from region",
			"people per day", "50"},
		"adjacency1": {"A small graph", "before", "to node", "from node", "weight", "missing"},
		"heatmap":    {"Standardised test cases", "day", "region", "standard deviations", "−3", "0", "3", "missing"},
		"heatmap6":   {"Alpha", "Delta region", "cases", "60"},
		"flow":       {"Total test flow", "people per day", "5.5 M"},
		"cases":      {"Zeta", "new cases", "train", "validation", "test"},
		"loss":       {"train (5 seeds)", "validation (5 seeds)", "epoch kept", "epoch", "mean squared error", "0.5"},
		"forecasts":  {"observed", "PENG-CDE, mean", "band: min–max of 5 seeds", "Epsilon", "standardised cases", "−1"},
		"forecasts2": {"Alpha", "Beta", "val."},
		"dots":       {"PENG-CDE", "mean with 95% interval", "one seed", "missing", "0.641 ± 0.032", "–"},
		"marks":      {"topology event", "training horizon", "GN-ODE"},
		"weights":    {"initial value", "identity", "0.31 ± 0.05"},
		"heatmap8":   {"A", "layer 1, A′", "a column whose name is l…", "mean of 5 seeds"},
		"images":     {"Truth", "Prediction", "Prediction − truth", "temperature", "column", "row", "0.5", "−0.1"},
		"critical":   {"mean rank (lower is better)", "1", "7", "PENG-CDE beside a linear part, tun…", "1.20", "GN-ODE"},
		"critical0":  {"Test errors", "No diagram: p = 0.31."},
		"images12":   {"Truth", "−2", "missing"},
	}
	for name, f := range made {
		svg, err := f.SVG()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(want[name]) == 0 {
			t.Errorf("%s: no labels to look for", name)
		}
		text, _ := texts(t, svg)
		lines := strings.Split(text, "\n")
		for _, label := range want[name] {
			if !slices.Contains(lines, label) {
				t.Errorf("%s: label %q is not in the SVG, which has %q", name, label, lines)
			}
		}
	}
}

func TestSVGIsSelfContainedAndLight(t *testing.T) {
	total := 0
	for name, f := range samples(t) {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		total += len(svg)
		if len(svg) > 120_000 { // of 1 MB for a notebook with several figures
			t.Errorf("%s: SVG of %d bytes", name, len(svg))
		}
		_, elements := texts(t, svg)
		if elements["path"] > 500 || elements["script"] > 0 {
			t.Errorf("%s: %d paths and %d scripts", name, elements["path"], elements["script"])
		}
		for _, foreign := range []string{"href=\"http", "url(", "@import", "font-family:Liberation Sans"} {
			if bytes.Contains(svg, []byte(foreign)) {
				t.Errorf("%s: SVG holds %q", name, foreign)
			}
		}
		isHeat := strings.HasPrefix(name, "adjacency") || strings.HasPrefix(name, "heatmap") ||
			strings.HasPrefix(name, "images")
		if images := elements["image"]; isHeat != (images > 0) {
			t.Errorf("%s: %d images", name, images)
		}
	}
	if total > 600_000 {
		t.Errorf("all samples together take %d bytes", total)
	}
}

// Every colour of a drawing is one that the dark colours replace, or one that serves both.
func TestDarkColours(t *testing.T) {
	both := []string{"none"}
	for _, c := range []Colour{Vermillion, Green, Purple, Orange, Sky} {
		rgb := colours[c]
		both = append(both, fmt.Sprintf("#%02X%02X%02X", rgb.R, rgb.G, rgb.B),
			fmt.Sprintf("#%02X%02X%02X", rgb.R-min(rgb.R, 1), rgb.G-min(rgb.G, 1), rgb.B-min(rgb.B, 1)))
	}
	for name, f := range samples(t) {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		rules, drawing, found := strings.Cut(string(svg), "</style>")
		if !found {
			t.Fatalf("%s: no style sheet", name)
		}
		for _, used := range regexp.MustCompile(`(?:fill|stroke):([^;"]+)`).FindAllStringSubmatch(drawing, -1) {
			if !slices.Contains(both, used[1]) && !strings.Contains(rules, used[0]+`"]`) {
				t.Errorf("%s: %s has no dark colour", name, used[0])
			}
		}
	}
}

// The same figure is the same file, however often it is made and drawn.
func TestSVGIsDeterministic(t *testing.T) {
	again := samples(t)
	for name, f := range samples(t) {
		first, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []*Figure{f, again[name]} {
			if second, err := other.SVG(); err != nil || !bytes.Equal(first, second) {
				t.Errorf("%s: drawn again, it differs (%v)", name, err)
			}
		}
	}
}

func TestPNGSize(t *testing.T) {
	for name, f := range samples(t) {
		data, err := f.PNG(72)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		width, height := f.Size()
		if got := img.Bounds().Size(); !(math.Abs(float64(got.X)-width) <= 1) ||
			!(math.Abs(float64(got.Y)-height) <= 1) {
			t.Errorf("%s: %v pixels at 72 per inch, wanted %g by %g", name, got, width, height)
		}
	}
	f := mustLines(t, Axes{Width: 144, Height: 72})
	data, err := f.PNG(100)
	if err != nil {
		t.Fatal(err)
	}
	if config, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || config.Width != 200 || config.Height != 100 {
		t.Errorf("2 by 1 inches at 100 dots: %v, %v", config, err)
	}
	for _, dpi := range []int{-1, 0, 5000} {
		if _, err := f.PNG(dpi); !errors.Is(err, ErrInput) {
			t.Errorf("PNG(%d): %v", dpi, err)
		}
	}
}

func mustLines(t *testing.T, axes Axes) *Figure {
	t.Helper()
	f, err := Lines(axes, Series{Name: "s", Y: []float64{1, 3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSave(t *testing.T) {
	folder := t.TempDir()
	f := mustLines(t, Axes{Title: "saved"})
	for _, name := range []string{"a.svg", "a.png", "A.SVG"} {
		path := filepath.Join(folder, name)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.EqualFold(filepath.Ext(name), ".png") {
			_, err = png.Decode(bytes.NewReader(data))
		} else {
			texts(t, data)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Save(filepath.Join(folder, "a.pdf")); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), ".svg or .png") {
		t.Errorf("pdf: %v", err)
	}
	if err := f.Save(filepath.Join(folder, "a.svg", "a.svg")); err == nil || !strings.Contains(err.Error(), "a.svg") {
		t.Errorf("a folder that is a file: %v", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 3 {
		t.Errorf("folder holds %v (%v), wanted the three files only", entries, err)
	}
	if err := f.Save(filepath.Join(folder, "new", "a.svg")); err != nil {
		t.Errorf("a new folder: %v", err)
	}
}

func TestStrangeLabels(t *testing.T) {
	strange := "a<b & \"c\"\x00\xff\nd ]]> é"
	f := mustLines(t, Axes{Title: strange, X: strange, Y: strange})
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := texts(t, svg); strings.Count(text, "a<b & \"c\"") != 3 {
		t.Errorf("labels came out as %q", text)
	}
}

// Too small for its labels, a figure is an error or an empty drawing, not a panic.
func TestSmallSizes(t *testing.T) {
	for _, side := range []float64{60, 75, 100, 150} {
		axes := Axes{Title: "title", X: "x", Y: "y", Colour: "c", Width: side, Height: side,
			Spans: []Span{{"train", 0, 1}}, Marks: []Mark{{"end", 1, true}}}
		dense := [][]float64{{0, 1}, {2, 0}}
		panel := HeatPanel{Title: "p", Dense: dense}
		for name, make := range map[string]func() (*Figure, error){
			"lines":     func() (*Figure, error) { return Lines(axes, Series{Name: "s", Y: []float64{1, 2}}) },
			"adjacency": func() (*Figure, error) { return Adjacency(axes, []HeatPanel{panel, panel, panel, panel, panel}) },
			"heatmap":   func() (*Figure, error) { return HeatMap(axes, Grid{Values: dense}) },
			"images": func() (*Figure, error) {
				return Images(axes, Limits{},
					[]ImagePanel{{Values: dense}, {Values: dense}})
			},
			"dots":  func() (*Figure, error) { return Dots(axes, DotRow{Name: "m", Value: Number(1)}) },
			"ranks": func() (*Figure, error) { return CriticalDifference(axes, ranking(7)) },
			"forecasts": func() (*Figure, error) {
				return Forecasts(axes,
					[]ForecastPanel{{Title: "p", Truth: []float64{1, 2}}})
			},
		} {
			f, err := make()
			if err == nil {
				_, err = f.SVG()
			}
			if err != nil && !errors.Is(err, ErrInput) {
				t.Errorf("%s at %g points: %v", name, side, err)
			}
		}
	}
	for _, side := range []float64{-1, 10, math.NaN(), math.Inf(1), 1e6} {
		if _, err := Lines(Axes{Width: side}, Series{Y: []float64{1}}); !errors.Is(err, ErrInput) {
			t.Errorf("width %g: %v", side, err)
		}
	}
}

func TestFigureHTML(t *testing.T) {
	page, err := mustLines(t, Axes{Title: "inline"}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	const start = `<div style="margin:0.5em 0;container-type:inline-size;break-inside:avoid">` +
		`<div style="overflow-x:auto"><svg `
	if !strings.HasPrefix(page, start+`style="max-width:100%;min-width:640px;`) || strings.Contains(page, "<?xml") ||
		!strings.Contains(page, "@container(max-width:640px)") {
		t.Errorf("page starts with %.180q", page)
	}
	if small, err := mustLines(t, Axes{Width: 300}).HTML(); err != nil || !strings.Contains(small, "min-width:400px") {
		t.Errorf("%v, a figure of 400 pixels is enlarged: %.120q", err, small)
	}
	if text, _ := texts(t, []byte(page)); !strings.Contains(text, "inline") {
		t.Errorf("no title in %q", text)
	}
}

// Each text says how wide it is, as measured in its own size and weight.
func TestTextsHaveTheirWidth(t *testing.T) {
	f, err := Lines(Axes{Title: "Errors <of> A & B", X: "day"}, Series{Y: []float64{1, 2, 30}})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	texts, fitted := strings.Count(string(svg), "<text "), strings.Count(string(svg), `lengthAdjust="spacingAndGlyphs"`)
	if texts == 0 || fitted != texts {
		t.Errorf("%d of %d texts say how wide they are", fitted, texts)
	}
	if want := fmt.Sprintf(`textLength="%.2f"`,
		titleText.Width("Errors <of> A & B").Points()); !strings.Contains(string(svg), want) {
		t.Errorf("no %s for the title", want)
	}
}

// Lines that belong together share a colour and differ in style; points are dots at each known value.
func TestLineStyles(t *testing.T) {
	series := styled([]Series{{}, {Style: Style{Blue, Dashed}}, {}})
	a, b, c := series[0].Style.line(1), series[1].Style.line(1), series[2].Style.line(1)
	if a.Color != b.Color || len(a.Dashes) != 0 || len(b.Dashes) != 2 || c.Color == a.Color || len(c.Dashes) != 4 {
		t.Errorf("styles %v, %v and %v, want one colour, the second dashed, and another", a, b, c)
	}
	if got := styled([]Series{{}, {Style: Style{Dash: Dotted}}})[1].Style; got != (Style{StyleOf(1).Colour, Dotted}) {
		t.Errorf("a dash without a colour became %v", got)
	}
	seen := make(map[Style]bool)
	for i := range 36 {
		seen[StyleOf(i)] = true
		if next := StyleOf(i + 1); next.Colour == StyleOf(i).Colour || next.Dash == StyleOf(i).Dash && i != 35 {
			t.Errorf("styles %d and %d are %v and %v", i, i+1, StyleOf(i), next)
		}
	}
	if len(seen) != 36 || seen[Style{}] || StyleOf(-1) != StyleOf(0) {
		t.Errorf("%d of 36 styles differ: %v", len(seen), seen)
	}
	paths := func(points bool) int {
		f, err := Lines(Axes{LogX: true}, Series{X: []float64{1, 10, 100, 1000}, Y: []float64{1, math.NaN(), 2, 3},
			Points: points})
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		_, elements := texts(t, svg)
		return elements["path"]
	}
	if more := paths(true) - paths(false); more < 3 {
		t.Errorf("%d more paths with points at 3 values", more)
	}
}

// A line is open where a value is missing, also where it joins evaluations some epochs apart.
func TestGapsStayOpen(t *testing.T) {
	epochs, losses := evaluated([]float64{nan, 5, nan, 4, nan, nan, nan, 3, nan, 2})
	if want := []float64{2, 4, 7.5, 8, 10}; !slices.Equal(epochs, want) || !math.IsNaN(losses[2]) || losses[3] != 3 {
		t.Errorf("epochs %v with losses %v, want %v with a gap in the middle", epochs, losses, want)
	}
	if parts := split(epochs, losses, losses, math.Inf(-1)); len(parts) != 2 || len(parts[0]) != 2 {
		t.Errorf("the line has the parts %v", parts)
	}
	if epochs, _ := evaluated([]float64{1, 2, 3}); !slices.Equal(epochs, []float64{1, 2, 3}) {
		t.Errorf("every epoch evaluated: %v", epochs)
	}
}

// Of many bands four are drawn.
func TestFourBands(t *testing.T) {
	var series []Series
	for i := range 6 {
		y := []float64{float64(i), 2}
		series = append(series, Series{Name: "s", Y: y, Lower: y, Upper: []float64{8, 9}, Band: "range"})
	}
	drawn, bands := styled(series), 0
	for _, s := range drawn {
		if s.Lower != nil {
			bands++
		}
	}
	if bands != 4 || drawn[3].Lower == nil || series[5].Lower == nil {
		t.Errorf("%d bands are drawn, want those of the first four, and the input left as it is", bands)
	}
	if key := seriesKey(drawn); len(key) != 7 || key[6].name != "band: range" {
		t.Errorf("key %v, want a last entry for what bands are", key)
	}
}

// A figure keeps its values while the caller uses their slices again.
func TestInputIsCopied(t *testing.T) {
	grid := func() [][]float64 { return [][]float64{{1, 2}, {3, 4}} }
	row := []float64{1, 2}
	for name, draw := range map[string]func(v [][]float64) (*Figure, error){
		"lines":     func(v [][]float64) (*Figure, error) { return Lines(Axes{Room: v[1]}, Series{Y: v[0]}) },
		"heat map":  func(v [][]float64) (*Figure, error) { return HeatMap(Axes{}, Grid{Values: v}) },
		"adjacency": func(v [][]float64) (*Figure, error) { return Adjacency(Axes{}, []HeatPanel{{Dense: v}}) },
		"images":    func(v [][]float64) (*Figure, error) { return Images(Axes{}, Limits{}, []ImagePanel{{Values: v}}) },
		"dots": func(v [][]float64) (*Figure, error) {
			return Dots(Axes{}, DotRow{Name: "a", Value: Number(2), Seeds: v[0]})
		},
		"forecasts": func(v [][]float64) (*Figure, error) {
			return Forecasts(Axes{}, []ForecastPanel{{Days: row, Truth: v[0], Forecasts: []Series{{Name: "a", Y: v[1]}}}})
		},
		"losses": func(v [][]float64) (*Figure, error) { return LossCurves(Axes{}, LossRun{Validation: v[0]}) },
	} {
		values := grid()
		f, err := draw(values)
		if err != nil {
			t.Fatal(name, err)
		}
		before, err := f.SVG()
		if err != nil {
			t.Fatal(name, err)
		}
		for _, row := range values {
			clear(row)
			row[0] = 1.5
		}
		if after, err := f.SVG(); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: another drawing after its input has changed, %v", name, err)
		}
	}
}
