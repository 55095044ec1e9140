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
	section, _, _ := strings.Cut(page[strings.Index(page, "## An epoch against a peer"):], "\nFrom 1024")
	shown := regexp.MustCompile(`(?m)^\| (\d+) \|(.*)\|$`).FindAllStringSubmatch(section, -1)
	if len(shown) < 10 {
		t.Fatalf("%d rows of the race, want those of the page", len(shown))
	}
	for _, line := range shown {
		nodes, _ := strconv.Atoi(line[1])
		cells := strings.Split(line[2], "|")
		row, ok := raced(latest, "affine", nodes)
		if !ok || len(cells) != 7 {
			t.Errorf("%s: no such race in latest.json", line[0])
			continue
		}
		for i, value := range []float64{row.Ours, row.Peer, row.Ratio.Median, mebi(row.OursBytes), mebi(row.PeerBytes),
			row.OursCompile, row.PeerCompile} {
			if cells[i] = strings.TrimSpace(cells[i]); value == 0 {
				if strings.ContainsAny(cells[i], "0123456789") {
					t.Errorf("%d nodes, cell %d is %q, but was not measured", nodes, i+1, cells[i])
				}
			} else if err := shows(cells[i], value); err != nil {
				t.Errorf("%d nodes, cell %d: %v", nodes, i+1, err)
			}
		}
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
	if unit := math.Pow10(-len(decimals)); math.Abs(shown-value) > 0.51*unit {
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
