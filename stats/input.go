package stats

import (
	"errors"
	"math"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrInput is wrapped by every error of this package. The others name the fault.
var (
	ErrInput     = errs.ErrInput
	ErrModels    = errors.New("fewer than 2 models")
	ErrBlocks    = errors.New("fewer than 2 blocks")
	ErrNotFinite = errors.New("a value that is not finite")
	ErrRagged    = errors.New("lengths that differ")
)

// invalid returns an error that wraps ErrInput and, if not nil, the kind.
func invalid(kind error, format string, args ...any) error {
	err := errs.New(ErrInput, "stats: "+format, args...)
	if kind != nil {
		err = errs.New(kind, "%w", err)
	}
	return err
}

// checkTable returns an error if a table [blocks][models] cannot be ranked.
func checkTable(table [][]float64) error {
	if len(table) < 2 {
		return invalid(ErrBlocks, "%d blocks of errors, want 2 or more", len(table))
	}
	for i, row := range table {
		switch {
		case len(row) != len(table[0]):
			return invalid(ErrRagged, "block %d has %d models, block 0 has %d: want the same models in each; leave out "+
				"blocks that are not complete", i, len(row), len(table[0]))
		case len(row) < 2:
			return invalid(ErrModels, "%d models, want 2 or more", len(row))
		}
		for j, v := range row {
			if !finite(v) {
				return invalid(ErrNotFinite, "error of model %d in block %d is %g, want a finite number; leave out blocks "+
					"that are not complete", j, i, v)
			}
		}
	}
	return nil
}

// checkPairs returns an error if values cannot be compared in pairs.
func checkPairs(a, b []float64) error {
	if len(a) != len(b) {
		return invalid(ErrRagged, "%d values to compare with %d, want pairs", len(a), len(b))
	}
	if len(a) < 2 {
		return invalid(ErrBlocks, "%d pairs of values, want 2 or more", len(a))
	}
	for i := range a {
		if !finite(a[i] - b[i]) {
			return invalid(ErrNotFinite, "pair %d is %g and %g, want finite numbers; leave out missing values", i, a[i],
				b[i])
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
