package figures

import (
	"image"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func tickLabels(ticks []tick) string {
	var all []string
	for _, t := range ticks {
		label := t.label
		if t.power != "" {
			label += "^" + t.power
		}
		all = append(all, label)
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
		{scale{min: 1.01, max: 1.09, log: true}, 4, "1.02 1.04 1.06 1.08"},
	} {
		if got := tickLabels(c.scale.ticks(c.want)); got != c.text {
			t.Errorf("%+v, about %d: %q, wanted %q", c.scale, c.want, got, c.text)
		}
	}
	if got := tickLabels(scale{min: 0, max: 3}.wholeTicks(10)); got != "0 1 2 3" {
		t.Errorf("whole ticks: %q", got)
	}
}

// Any range has ticks inside it, in order, with labels that differ, and not many more than asked.
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
		if !ok || s.at(values[0]) < 0 || s.at(values[1]) > 1 {
			t.Fatalf("scale %+v does not hold %v", s, values)
		}
		ticks := s.ticks(want)
		if len(ticks) == 0 || len(ticks) > 2*want+8 {
			t.Fatalf("%d ticks in %+v, about %d asked", len(ticks), s, want)
		}
		seen := map[string]bool{}
		last := math.Inf(-1)
		for _, tick := range ticks {
			if at := s.at(tick.value); at < -1e-6 || at > 1+1e-6 {
				t.Fatalf("tick %+v outside %+v", tick, s)
			}
			if tick.value <= last || seen[tick.label+"^"+tick.power] {
				t.Fatalf("ticks %q repeat or fall", tickLabels(ticks))
			}
			seen[tick.label+"^"+tick.power], last = true, tick.value
		}
	})
}

// The maps take equal steps in OKLab, up to rounding to 8 bits; the sequential one only gets darker, the diverging one
// is as light on one side as on the other.
func TestColourMaps(t *testing.T) {
	const block = 23 // steps of single levels are lost in rounding
	for name, m := range map[string]*colourMap{"sequential": sequential, "diverging": diverging} {
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
		if math.Abs(low-high) > 0.06 {
			t.Errorf("diverging: lightness %.3f and %.3f at %d from the ends", low, high, i)
		}
	}
}

func TestOKLabRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := hex(rapid.Uint32Range(0, 0xFFFFFF).Draw(t, "rgb"))
		if back := fromOKLab(toOKLab(c)); back != c {
			t.Fatalf("%v came back as %v", c, back)
		}
	})
}

// Rows are sources from the top, columns targets from the left.
func TestRasterOrientation(t *testing.T) {
	k := colouring{scale: scale{min: 1, max: 10, log: true}, colours: sequential}
	m := [][]float64{{0, 10, 0}, {nan, 1, 0}}
	img := k.raster(2, 3, func(r, c int) float64 { return m[r][c] }).(*image.Paletted)
	size := img.Bounds().Size()
	for r, row := range []string{"0T0", "N10"} {
		for c, kind := range row {
			got := img.ColorIndexAt(size.X*(2*c+1)/6, size.Y*(2*r+1)/4)
			want := map[rune]uint8{'0': levelEmpty, 'N': levelMissing, '1': levelFirst, 'T': levelFirst + mapLevels - 1}[kind]
			if got != want {
				t.Errorf("cell [%d][%d] has level %d, wanted %d", r, c, got, want)
			}
		}
	}
}

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
	rows := keyRows(entries, 400)
	total := 0
	for _, row := range rows {
		total += len(row)
	}
	if len(rows) < 2 || total != len(entries) || keyHeight(entries, 400) <= keyHeight(entries[:1], 400) {
		t.Errorf("%d rows with %d entries", len(rows), total)
	}
	if len(keyRows(entries, 1)) != len(entries) {
		t.Error("entries wider than the figure share a row")
	}
}
