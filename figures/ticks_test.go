package figures

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
	"pgregory.net/rapid"
)

func tickLabels(found []plot.Tick) string {
	var all []string
	for _, t := range found {
		all = append(all, strings.Replace(t.Label, power, "^", 1))
	}
	return strings.Join(all, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		scale scale
		want  int
		text  string
	}{
		{scale{min: 0, max: 1}, 5, "0 0.2 0.4 0.6 0.8 1.0"},
		{scale{min: -2.2, max: 2.2}, 4, "−2 −1 0 1 2"},
		{scale{min: 0, max: 60}, 6, "0 10 20 30 40 50 60"},
		{scale{min: 0, max: 21000}, 4, "0 5,000 10,000 15,000 20,000"},
		{scale{min: 0, max: 3.1e6}, 3, "0 1 M 2 M 3 M"},
		{scale{min: 0, max: 2e9}, 4, "0 0.5 G 1.0 G 1.5 G 2.0 G"},
		{scale{min: 0, max: 4e-5}, 4, "0 1 × 10^−5 2 × 10^−5 3 × 10^−5 4 × 10^−5"},
		{scale{min: 0.3, max: 3, log: true}, 5, "0.5 1 2"},
		{scale{min: 1, max: 1000, log: true}, 4, "1 10 100 1,000"},
		{scale{min: 0.5, max: 2e6, log: true}, 4, "10^0 10^2 10^4 10^6"},
		{scale{min: 2e-4, max: 20, log: true}, 2, "0.01 1"},
		{scale{min: 1.01, max: 1.09, log: true}, 4, "1.02 1.04 1.06 1.08"},
	} {
		if got := tickLabels(ticks{want: c.want, log: c.scale.log}.Ticks(c.scale.min, c.scale.max)); got != c.text {
			t.Errorf("%+v, about %d: %q, wanted %q", c.scale, c.want, got, c.text)
		}
	}
	if got := tickLabels(ticks{want: 10, whole: true}.Ticks(0, 3)); got != "0 1 2 3" {
		t.Errorf("whole ticks: %q", got)
	}
	for _, c := range []struct {
		values []float64
		want   string
	}{{[]float64{1, 2, 3}, "1 2 3"}, {[]float64{1, math.NaN(), 2.5}, "1.0 1.2 1.4 1.6 1.8 2.0 2.2 2.4"}} {
		x, _ := fit(false, 0, c.values)
		if got := tickLabels(Axes{}.xTicks(x, 10).Ticks(x.min, x.max)); got != c.want {
			t.Errorf("ticks of X at %v: %q, want %q", c.values, got, c.want)
		}
	}
}

// Any range has ticks inside it, in order, with labels that differ, and not many more than asked.
// The last tick of 0 to 0.3, six times a step of 0.05, lies at 0.3 itself.
func TestTicksStayInside(t *testing.T) {
	found := ticks{want: 8}.Ticks(0, 0.3)
	if last := found[len(found)-1]; last.Value != 0.3 || last.Label != "0.30" {
		t.Errorf("%+v, want a tick at exactly 0.3", last)
	}
}

func TestTicksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Bool().Draw(t, "log")
		middle := rapid.Float64Range(-1e6, 1e6).Draw(t, "middle")
		width := math.Pow(10, rapid.Float64Range(-3, 8).Draw(t, "width"))
		values := []float64{middle - width, middle + width}
		if log {
			low := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "low"))
			values = []float64{low, low * (1 + width)}
		}
		want := rapid.IntRange(2, 12).Draw(t, "want")
		s, ok := fit(log, 0.05, values)
		if !ok || !s.holds(values[0]) || !s.holds(values[1]) {
			t.Fatalf("scale %+v does not hold %v", s, values)
		}
		found := ticks{want: want, log: log}.Ticks(s.min, s.max)
		if len(found) == 0 || len(found) > 2*want+8 {
			t.Fatalf("%d ticks in %+v, about %d asked", len(found), s, want)
		}
		axis := newPlot(s, s, want, want).X
		seen := map[string]bool{}
		last := math.Inf(-1)
		for _, tick := range found {
			if at := axis.Norm(tick.Value); at < -1e-6 || at > 1+1e-6 {
				t.Fatalf("tick %+v outside %+v", tick, s)
			}
			if tick.Value <= last || seen[tick.Label] {
				t.Fatalf("ticks %q repeat or fall", tickLabels(found))
			}
			seen[tick.Label], last = true, tick.Value
		}
	})
}

// The maps take equal steps in OKLab, up to rounding to 8 bits; the sequential one only gets darker, the diverging one
// is as light on one side as on the other.
func TestColourMaps(t *testing.T) {
	const block = 23 // steps of single levels are lost in rounding
	for name, m := range map[string][]color.Color{"sequential": sequential, "diverging": diverging} {
		var shortest, longest = math.Inf(1), 0.0
		for i := 0; i+block < mapLevels; i += block {
			if name == "diverging" && i < mapLevels/2 && i+block > mapLevels/2 {
				continue // bends at the neutral
			}
			d := 0.0
			for j := i; j < i+block; j++ {
				d += distance(toOKLab(m[j]), toOKLab(m[j+1]))
			}
			shortest, longest = math.Min(shortest, d), math.Max(longest, d)
		}
		if longest > 1.25*shortest {
			t.Errorf("%s: steps of %.4f to %.4f", name, shortest, longest)
		}
	}
	for i := 1; i < mapLevels; i++ {
		if toOKLab(sequential[i])[0] > toOKLab(sequential[i-1])[0]+0.004 {
			t.Errorf("sequential gets lighter at %d", i)
		}
	}
	for i := range mapLevels / 2 {
		low, high := toOKLab(diverging[i])[0], toOKLab(diverging[mapLevels-1-i])[0]
		if !(math.Abs(low-high) <= 0.06) {
			t.Errorf("diverging: lightness %.3f and %.3f at %d from the ends", low, high, i)
		}
	}
}

// toOKLab returns lightness, green-red and blue-yellow: sRGB -> linear -> cone responses -> cube roots -> OKLab. The
// constants are from the definition (Ottosson, "A perceptual color space for image processing", 2020).
func toOKLab(c color.Color) [3]float64 {
	linear := func(v uint8) float64 { // the transfer function of sRGB (IEC 61966-2-1)
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	r, g, b := linear(n.R), linear(n.G), linear(n.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// Rows are sources from the top, columns targets from the left.
func TestRasterOrientation(t *testing.T) {
	k := colouring{scale: scale{min: 1, max: 10, log: true}}
	var drawn image.Image
	p := field{k, [][]float64{{0, 10, 0}, {nan, 1, 0}}, 0}.plot("", 0, 3, 2)
	p.Draw(draw.NewCanvas(&adapter{CanvasSizer: imageCanvas{vgsvg.New(300, 200), func(i image.Image) { drawn = i }}},
		300, 200))
	img := drawn.(*image.Paletted)
	size := img.Bounds().Size()
	for r, row := range []string{"0T0", "N10"} {
		for c, kind := range row {
			got := img.At(size.X*(2*c+1)/6, size.Y*(2*r+1)/4)
			want := map[rune]color.Color{'0': color.NRGBA{}, 'N': missGrey, '1': sequential[0],
				'T': sequential[mapLevels-1]}[kind]
			if got != color.NRGBAModel.Convert(want) {
				t.Errorf("cell [%d][%d] has colour %v, wanted %v", r, c, got, want)
			}
		}
	}
}

// imageCanvas keeps the images that are drawn.
type imageCanvas struct {
	vg.CanvasSizer
	draw func(image.Image)
}

func (c imageCanvas) DrawImage(_ vg.Rectangle, img image.Image) { c.draw(img) }

func TestPanelMatrix(t *testing.T) {
	m, err := HeatPanel{N: 3, From: []int{0, 2, 0}, To: []int{1, 0, 1}, Weights: []float64{1, 2, 4}}.matrix()
	if err != nil {
		t.Fatal(err)
	}
	if m[0][1] != 5 || m[2][0] != 2 || m[1][0] != 0 {
		t.Errorf("matrix %v", m)
	}
}

func TestKeyRows(t *testing.T) {
	entries := make([]entry, 7)
	for i := range entries {
		entries[i].name = "a name of some length"
	}
	left := func(n int, width vg.Length) vg.Length {
		return drawKey(draw.New(vgsvg.New(width, 200)), 0, entries[:n]).Max.Y
	}
	if !(left(7, 400) < left(1, 400) && left(1, 400) < left(0, 400)) {
		t.Errorf("7 entries leave %g, 1 leaves %g, none %g", left(7, 400), left(1, 400), left(0, 400))
	}
	if got, want := left(7, 50), left(0, 50)-7*keyLine-gap; got != want {
		t.Errorf("entries wider than the figure share a row: %g left, want %g", got, want)
	}
}

// Two figures with room for the values of both have one scale.
func TestRoom(t *testing.T) {
	low, high := []float64{0.5, 0.6}, []float64{0.9, 1}
	_, a := ranges(Axes{Room: high}, 0.05, []Series{{X: []float64{0, 1}, Y: low}})
	_, b := ranges(Axes{Room: low}, 0.05, []Series{{X: []float64{0, 1}, Y: high}})
	_, alone := ranges(Axes{}, 0.05, []Series{{X: []float64{0, 1}, Y: high}})
	if a != b || a == alone {
		t.Errorf("scales %v and %v, without room %v", a, b, alone)
	}
}
