package bench

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Past is one race in the history of the library's speed. Machines differ and drift, so only the ratio to the peer in
// the same race can be compared over time, not the seconds.
type Past struct {
	Time            time.Time // of the race, or of the commit if the race's time was not kept
	Commit, Machine string
	Model           string
	Nodes           int    // of the grid
	Peer            string // the variant of the peer
	Pairs           int    // turns of each
	Ours, PeerOwn   float64
	Ratio           spread
}

// historyColumns is the first line of a history file.
var historyColumns = []string{"time", "commit", "machine", "model", "nodes", "peer", "pairs", "seconds", "peer_seconds",
	"ratio", "least", "largest"}

// ReadHistory reads a CSV file of races, oldest first. A file that does not exist gives no races.
func ReadHistory(path string) (history []Past, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	rows, err2 := csv.NewReader(bytes.NewReader(content)).ReadAll()
	switch err := errors.Join(err, err2); {
	case err != nil:
		return nil, fmt.Errorf("bench: history %s: %w", path, err)
	case len(rows) == 0:
		return nil, nil
	case !slices.Equal(rows[0], historyColumns):
		return nil, errs.New(figures.ErrInput, "bench: history %s has the columns %q, want %q", path, rows[0],
			historyColumns)
	}
	for i, cells := range rows[1:] {
		past, err := parsePast(cells)
		if err != nil {
			return nil, fmt.Errorf("bench: history %s, row %d: %w", path, i+1, err)
		}
		history = append(history, past)
	}
	return history, nil
}

func parsePast(cells []string) (p Past, err error) {
	p = Past{Commit: cells[1], Machine: cells[2], Model: cells[3], Peer: cells[5]}
	var wrong [8]error
	p.Time, wrong[0] = time.Parse(time.RFC3339, cells[0])
	p.Nodes, wrong[1] = strconv.Atoi(cells[4])
	p.Pairs, wrong[2] = strconv.Atoi(cells[6])
	for i, value := range []*float64{&p.Ours, &p.PeerOwn, &p.Ratio.Median, &p.Ratio.Low, &p.Ratio.High} {
		*value, wrong[3+i] = strconv.ParseFloat(cells[7+i], 64)
	}
	return p, errors.Join(wrong[:]...)
}

func (p Past) cells() []string {
	cells := []string{p.Time.UTC().Format(time.RFC3339), p.Commit, p.Machine, p.Model, strconv.Itoa(p.Nodes), p.Peer,
		strconv.Itoa(p.Pairs)}
	for _, value := range []float64{p.Ours, p.PeerOwn, p.Ratio.Median, p.Ratio.Low, p.Ratio.High} {
		cells = append(cells, strconv.FormatFloat(value, 'g', 4, 64))
	}
	return cells
}

// AppendHistory adds a race to a file of races. It leaves out races whose ratio does not compare over time: a race
// without a peer, a race that the peer did not finish, and a race with a peer on its own steps. The empty path means
// no file.
func AppendHistory(path string, at time.Time, r Row) error {
	if path == "" || r.Peer == 0 || r.OutOfMemory || r.Steps == own {
		return nil
	}
	history, err := ReadHistory(path)
	if err != nil {
		return err
	}
	return writeHistory(path, append(history, Past{Time: at, Commit: r.Commit, Machine: r.Machine, Model: r.Model,
		Nodes: r.nodes(), Peer: r.Variant, Pairs: r.Pairs, Ours: r.Ours, PeerOwn: r.Peer, Ratio: r.Ratio}))
}

func writeHistory(path string, history []Past) error {
	lines := [][]string{historyColumns}
	for _, p := range history {
		lines = append(lines, p.cells())
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return fmt.Errorf("bench: history: %w", err)
	}
	return durable.WriteFile(path, text.Bytes())
}

// DrawHistory draws the ratio of the dense peer's seconds per epoch to the library's against the time of the race,
// for the published, the affine and the original field on grids of 144 and 529 nodes.
func DrawHistory(history []Past) (*figures.Figure, error) {
	models := []string{"peng", "affine", "original"}
	kept := slices.DeleteFunc(slices.Clone(history), func(p Past) bool {
		return p.Peer != dense || p.Nodes != 144 && p.Nodes != 529 || !slices.Contains(models, p.Model)
	})
	if len(kept) == 0 {
		return nil, errs.New(figures.ErrInput, "bench: no races on 144 or 529 nodes to draw, try: make bench")
	}
	slices.SortStableFunc(kept, func(a, b Past) int { return a.Time.Compare(b.Time) })
	type line struct {
		model string
		nodes int
	}
	start := kept[0].Time.Truncate(24 * time.Hour)
	var lines []figures.Series
	for _, l := range distinct(kept, func(p Past) line { return line{p.Model, p.Nodes} }) {
		style := figures.StyleOf(slices.Index(models, l.model))
		style.Dash = figures.Solid
		if l.nodes == 144 {
			style.Dash = figures.Dashed
		}
		s := figures.Series{Name: fmt.Sprintf("%s, %d nodes", modelName(l.model), l.nodes), Style: style, Points: true}
		for _, p := range kept {
			if (line{p.Model, p.Nodes}) == l {
				s.X, s.Y = append(s.X, p.Time.Sub(start).Hours()/24), append(s.Y, p.Ratio.Median)
			}
		}
		lines = append(lines, s)
	}
	slices.SortStableFunc(lines, func(a, b figures.Series) int {
		return cmp.Compare(b.Y[len(b.Y)-1], a.Y[len(a.Y)-1])
	})
	return figures.Lines(figures.Axes{Title: "Seconds of the peer in JAX over ours, an epoch", X: "date of the race",
		Y: "ratio", Start: start, LogY: true, Height: 300}, lines...)
}
