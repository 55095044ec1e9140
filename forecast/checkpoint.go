package forecast

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// tested and final identify the two trainings; the names of their checkpoints end with them.
const (
	tested = "tested"
	final  = "all"
)

// checkpoint returns the path of a training's checkpoint, "" for none. The name includes settings and data, so that
// another training neither continues from it nor deletes it.
func (c Config) checkpoint(s *dyngraph.Series) string {
	if c.Checkpoint == "" {
		return ""
	}
	digest := sha256.New()
	fmt.Fprintln(digest, c.Inputs, c.Hidden, c.Layers, c.Epochs, c.LearningRate, c.Seed)
	if !c.published() { // older digests do not include it
		fmt.Fprintln(digest, c.Model)
	}
	if c.Linear || c.share > 0 { // nor these
		fmt.Fprintln(digest, c.Linear, c.share)
	}
	write := func(values any) { _ = binary.Write(digest, binary.LittleEndian, values) } // a hash accepts all writes
	write(s.Pattern.From)
	write(s.Pattern.To)
	for _, rows := range [][][]float64{{s.Times}, s.Weights, s.Features, s.Targets} {
		write(slices.Concat(rows...))
	}
	return fmt.Sprintf("%s-%.4x", c.Checkpoint, digest.Sum(nil))
}

// HasCheckpoint reports whether [Fit] with these settings and data would continue from a checkpoint, or find the
// first training done.
func (c Config) HasCheckpoint(d *table.Data) bool {
	c, err := c.resolved()
	if err != nil || d == nil || d.Series == nil {
		return false
	}
	series, _, err := prepared(d.Series, 0)
	if err != nil {
		return false
	}
	path := c.candidates()[0].checkpoint(series)
	return path != "" && (&train.Checkpoint{Path: path + "-" + tested}).Exists()
}

// RemoveCheckpoints deletes the checkpoints of the trainings. While they exist, the next call of [Fit] returns the
// same result at once, or trains on if the budget ended a training. Checkpoints of other settings or data stay.
func (r *Result) RemoveCheckpoints() error {
	for _, path := range r.checkpoints {
		if err := (&train.Checkpoint{Path: path}).Remove(); err != nil {
			return fmt.Errorf("forecast: %w", err)
		}
	}
	return nil
}
