package bench

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// latestRows returns the rows that the page and the picture show.
func latestRows(t *testing.T) File {
	t.Helper()
	latest, err := Latest()
	if err != nil {
		t.Fatal(err)
	}
	return latest
}

// The page on speed has the races with the peer, and the seeds in one program, as in the file of rows.
func TestPageOfRaces(t *testing.T) {
	text, err := os.ReadFile("../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	latest := latestRows(t)
	race := page[strings.Index(page, "## An epoch against a peer"):]
	race = race[:strings.Index(race[1:], "\n## ")]
	ratio := func(r Row) []float64 { return []float64{r.Ratio.Median, r.Ratio.Low, r.Ratio.High} }
	epoch := func(r Row) [][]float64 { return [][]float64{append([]float64{r.Ours, r.Peer}, ratio(r)...)} }
	forecast := func(r Row) [][]float64 { return [][]float64{{r.OursInference, r.PeerInference}} }
	rows := compareTable(t, race, latest, "this", []string{"affine"}, func(r Row) [][]float64 {
		return [][]float64{{r.Ours}, {r.Peer}, ratio(r), {mebi(r.OursBytes)}, {mebi(r.PeerBytes)}, {r.OursCompile},
			{r.PeerCompile}}
	})
	rows += compareTable(t, race, latest, "as published",
		[]string{"peng", "original", "adjacency", "gn-ode", "constant", "pre-mult"}, epoch)
	rows += compareTable(t, race, latest, "recommended",
		[]string{"affine", "peng", "original", "adjacency", "gn-ode", "constant"}, forecast)
	if rows != 20 {
		t.Errorf("%d rows of the race, want 20", rows)
	}
	oneLine := strings.Join(strings.Fields(page), " ")
	seeds := regexp.MustCompile(`an epoch takes ([\d.]+) s per seed for one seed, ([\d.]+) for four and ([\d.]+) [^;]* ` +
		`for ten; on 400 nodes ([\d.]+) \([^)]*\), ([\d.]+) and ([\d.]+) s`).FindStringSubmatch(oneLine)
	if seeds == nil {
		t.Fatal("no sentence on seeds in one program")
	}
	for i, together := range []struct{ n, seeds int }{{100, 1}, {100, 4}, {100, 10}, {400, 1}, {400, 4}, {400, 10}} {
		for _, m := range latest.Together {
			if m.N == together.n && m.Seeds == together.seeds {
				if err := shows(seeds[i+1], m.SeedEpoch.Median); err != nil {
					t.Errorf("%d nodes, %d seeds: %v", m.N, m.Seeds, err)
				}
			}
		}
	}
}

// compareTable compares a table, given by the head of its second column, with the races of models. After the number of
// nodes a row has the cells of each model, whose numbers are the values that were measured. It returns the number of
// rows.
func compareTable(t *testing.T, page string, latest File, head string, models []string,
	cells func(Row) [][]float64) (rows int) {
	t.Helper()
	_, table, _ := strings.Cut(page, "\n| nodes | "+head+" |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range regexp.MustCompile(`(?m)^\| (\d+) \|(.*)\|$`).FindAllStringSubmatch(table, -1) {
		nodes, _ := strconv.Atoi(line[1])
		var want [][]float64
		for _, model := range models {
			row, ok := raced(latest, model, nodes)
			if !ok {
				t.Fatalf("%s on %d nodes: no such race in latest.json", model, nodes)
			}
			want = append(want, cells(row)...)
		}
		shown := strings.Split(line[2], "|")
		if len(shown) != len(want) {
			t.Fatalf("%d cells, want %d: %s", len(shown), len(want), line[0])
		}
		for i, values := range want {
			values = slices.DeleteFunc(values, func(v float64) bool { return v == 0 })
			numbers := regexp.MustCompile(`[\d.]+`).FindAllString(shown[i], -1)
			if len(numbers) != len(values) {
				t.Errorf("%d nodes: cell %d is %q, measured were %v", nodes, i+1, shown[i], values)
				continue
			}
			for k, v := range values {
				if err := shows(numbers[k], v); err != nil {
					t.Errorf("%d nodes, cell %d: %v", nodes, i+1, err)
				}
			}
		}
		rows++
	}
	return rows
}

// raced returns the row of a race on this number of nodes with the dense peer, on the library's steps.
func raced(f File, model string, nodes int) (Row, bool) {
	for _, r := range f.Rows {
		if r.Model == model && (r.N == nodes || r.nodes() == nodes) && r.Variant == dense && r.Steps == "" && r.Batch == 0 {
			return r, true
		}
	}
	return Row{}, false
}

// shows returns an error unless a cell begins with a value, rounded.
func shows(cell string, value float64) error {
	text := regexp.MustCompile(`^[\d.]+`).FindString(cell)
	shown, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q, want %.3g", cell, value)
	}
	_, decimals, _ := strings.Cut(text, ".")
	if unit := math.Pow10(-len(decimals)); !(math.Abs(shown-value) <= 0.51*unit) {
		return fmt.Errorf("%q, want %.4g", cell, value)
	}
	return nil
}

// The committed picture matches the file of rows, except for the smoothing of a few pixels.
func TestPicture(t *testing.T) {
	figure, err := latestRows(t).DrawSeconds()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "seconds.png")
	if err := figure.Save(path); err != nil {
		t.Fatal(err)
	}
	decode := func(path string) image.Image {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		picture, _, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		return picture
	}
	got, want := decode("../docs/seconds.png"), decode(path)
	if got.Bounds() != want.Bounds() {
		t.Fatalf("docs/seconds.png is %v, want %v; draw it with: go run ./bench/race -nodes= -out bench/latest.json "+
			"-figure docs/seconds.png", got.Bounds(), want.Bounds())
	}
	others, all := 0, 0
	for y := got.Bounds().Min.Y; y < got.Bounds().Max.Y; y++ {
		for x := got.Bounds().Min.X; x < got.Bounds().Max.X; x++ {
			a, _, _, _ := got.At(x, y).RGBA()
			b, _, _, _ := want.At(x, y).RGBA()
			all++
			if math.Abs(float64(a)-float64(b)) > 0x4000 {
				others++
			}
		}
	}
	if others > all/2000 {
		t.Errorf("docs/seconds.png: %d of %d pixels are others; draw it with: go run ./bench/race -nodes= -out "+
			"bench/latest.json -figure docs/seconds.png", others, all)
	}
}
