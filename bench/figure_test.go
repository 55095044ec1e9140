package bench

import (
	"errors"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
)

// testRows returns made-up rows of PENG-CDE with a peer that runs out of memory at 1024.
func testRows() []Row {
	row := func(n int, ours, peer float64, oursMB, peerMB int64) Row {
		return Row{Model: "peng", Variant: dense, N: n, Pairs: 5, Ours: ours, Peer: peer,
			Ratio: spread{peer / ours, 0.5, 99}, OursInference: ours / 4,
			PeerInference: peer / 4, OursCompile: 3, PeerCompile: 11, OursBytes: oursMB << 20,
			PeerBytes: peerMB << 20, Accepted: 200, Rejected: 7,
			origin: origin{Machine: "Test CPU, 2 cores", Commit: "abc1234",
				Versions: map[string]string{"go": "go1.26", "jax": "0.9", "backend": "XLA on CPU"}}}
	}
	last := row(1024, 7, 0, 900, 0)
	last.OutOfMemory = true
	return []Row{last, row(128, 0.6, 0.95, 470, 831), row(512, 3, 14, 636, 6366)}
}

func withoutPeer(rows []Row) []Row {
	for i := range rows {
		rows[i].Peer, rows[i].PeerInference, rows[i].PeerCompile, rows[i].PeerBytes, rows[i].Ratio,
			rows[i].OutOfMemory = 0, 0, 0, 0, spread{}, false
	}
	return rows
}

var textOfSVG = regexp.MustCompile(`<text [^>]*>([^<]+)</text>`)

// writes returns the texts of a figure, one per line.
func writes(t *testing.T, f *figures.Figure, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range textOfSVG.FindAllSubmatch(svg, -1) {
		b.WriteString(html.UnescapeString(string(m[1])) + "\n")
	}
	return b.String()
}

func expect(t *testing.T, text string, wanted, unwanted []string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%s", w, text)
		}
	}
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("%q is in\n%s", u, text)
		}
	}
}

func TestDrawSeconds(t *testing.T) {
	between := func(low, high, x0, x1 float64) string {
		return fmt.Sprintf("%.2f", math.Log(high/low)/math.Log(x1/x0))
	}
	ours := "PENG-CDE: slope " + between(3, 7, 529, 1024)
	f := File{Rows: testRows()}
	figure, err := f.DrawSeconds()
	expect(t, writes(t, figure, err), []string{"Training epoch: Test CPU, 2 cores, XLA on CPU", ours,
		"dense peer (dashed)\n",
		"peer out of memory at 1024: PENG-CDE", "nodes (slopes from 512 on)"}, []string{"Pre-Mult", "plugin", "published"})
	if folder := os.Getenv("PENGCDE_FIGURES"); folder != "" {
		if err := figure.Save(filepath.Join(folder, "seconds.png")); err != nil {
			t.Error(err)
		}
	}

	alone := File{Rows: withoutPeer(testRows())}
	figure, err = alone.DrawSeconds()
	expect(t, writes(t, figure, err), []string{ours}, []string{"peer"})

	other := testRows()[1]
	other.Machine, other.Model = "Another", "pre-mult"
	both := File{Rows: append(testRows(), other)}
	figure, err = both.DrawSeconds()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, figure.Alt(), []string{"PENG-CDE, library, Test CPU, 2 cores, XLA on CPU: slope",
		"Pre-Mult GN-CDE, library, Another, XLA on CPU begins at 0.6", "PENG-CDE, dense peer, Test CPU"}, nil)
}

// The fields of a race differ in colour, and keep the paper's where no other field has it.
func TestColoursOfFields(t *testing.T) {
	colours := coloursOf(Fields())
	for i, colour := range colours {
		if colour == figures.ByIndex || slices.Contains(colours[:i], colour) {
			t.Errorf("%s has colour %d, of %v", Fields()[i], colour, colours)
		}
	}
	if style, ok := paper.StyleOf("original"); !ok || colours[slices.Index(Fields(), "original")] != style.Colour {
		t.Errorf("original has another colour than elsewhere, of %v", colours)
	}
}

func TestDrawMemory(t *testing.T) {
	f := File{Rows: testRows()}
	figure, err := f.DrawMemory()
	expect(t, writes(t, figure, err), []string{"Peak memory: Test CPU", "MiB", "dense peer (dashed)",
		"peer out of memory at 1024"}, []string{"published"})
	if folder := os.Getenv("PENGCDE_FIGURES"); folder != "" {
		if err := figure.Save(filepath.Join(folder, "memory.png")); err != nil {
			t.Error(err)
		}
	}
	for name, draw := range map[string]func() (*figures.Figure, error){"seconds": (File{}).DrawSeconds,
		"memory": (File{}).DrawMemory} {
		if _, err := draw(); !errors.Is(err, figures.ErrInput) {
			t.Errorf("%s of no rows: %v, want ErrInput", name, err)
		}
	}
}

func TestSlope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		power, factor := rapid.Float64Range(-3, 3).Draw(t, "power"), rapid.Float64Range(0.01, 100).Draw(t, "factor")
		x := []float64{16, 511, 512, 900, 5000, 70000}
		y := []float64{1e6, 1e-6} // not part of the fit
		for _, v := range x[2:] {
			y = append(y, factor*math.Pow(v, power))
		}
		var got float64
		if _, err := fmt.Sscanf(slope(x, y), ": slope %f", &got); err != nil || !(math.Abs(got-power) <= 0.00501) {
			t.Fatalf("%q for a power of %g", slope(x, y), power)
		}
	})
	if s := slope([]float64{511, 512}, []float64{1, 2}); s != "" {
		t.Errorf("%q of one point", s)
	}
}

func TestTable(t *testing.T) {
	f := File{Rows: testRows()}
	expect(t, f.Table().String(), []string{"4.7 (0.5 to 99.0)", "out of memory", "200 + 7", "529",
		"Test CPU, 2 cores, XLA on CPU, at abc1234: go 1.26, jax 0.9"}, []string{"machine", "/here", "planned", "base"})

	planned := File{Rows: testRows()}
	planned.Rows[2].Evaluations = 1678
	planned.Rows[2].PlannedBytes, planned.Rows[2].BaseBytes, planned.Rows[2].PlannedEvaluations = 345<<20, 200<<20, 1496
	table := planned.Table()
	expect(t, table.String(), []string{"345 / 436", "1496 / 1678", "above base:"}, nil)
	for _, title := range []string{"planned / above base, MiB", "evaluations, planned / taken"} {
		at := slices.IndexFunc(table.Columns, func(c figures.Column) bool { return c.Title == title })
		if at < 0 || !table.Rows[0][at].IsMissing() || table.Rows[1][at].IsMissing() || !table.Rows[2][at].IsMissing() {
			t.Errorf("%q should be there for the row of 512 nodes alone, which has a plan", title)
		}
	}

	rows := withoutPeer(testRows())
	rows[1].Machine, rows[1].Accepted = "Another", 0 // the smallest, which must come first
	table = (&File{Rows: rows}).Table()
	expect(t, table.String(), []string{"| machine", "Another, XLA on CPU, at abc1234"}, []string{"peer", "ratio"})
	steps := slices.IndexFunc(table.Columns, func(c figures.Column) bool { return c.Title == "steps" })
	if !table.Rows[0][steps].IsMissing() || table.Rows[1][steps].IsMissing() {
		t.Error("steps of the first row alone should be missing")
	}
	if s := (File{}).Table().String(); !strings.Contains(s, "| model") {
		t.Errorf("no rows: %s", s)
	}
}
