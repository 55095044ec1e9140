package table

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// file is a file that rows are read from.
type file struct {
	path    string
	parquet bool
	comma   rune     // 0 until the first line is read, unless the configuration or the name says it
	decimal byte     // '.' or ','; 0 until a number of a file separated by semicolons tells
	decided int      // the row of that number
	taken   []string // columns without a name in the configuration
	unusual bool     // whether one of them has not the first of the common names
	packing bounded.Packing
	limit   bounded.Limit
	memory  int64 // what pages of Parquet may take, in bytes
}

// packings are the endings of compressed files.
var packings = map[string]bounded.Packing{".gz": bounded.Gzip, ".zst": bounded.Zstd}

// maxBytes is Config.MaxBytes by default.
const maxBytes = 16 << 30

// ctxEvery is the number of rows between two checks of the context.
const ctxEvery = 1 << 12

func (c Config) newFile(path string) (*file, error) {
	f := &file{path: path, comma: c.separator(), packing: bounded.Plain,
		limit:  bounded.Limit{Bytes: c.MaxBytes, Default: maxBytes, Option: "table.Config.MaxBytes"},
		memory: 8 * min(int64(c.MaxValues), math.MaxInt64/8)}
	name := strings.ToLower(path)
	for ending, packing := range packings {
		if bare, found := strings.CutSuffix(name, ending); found {
			name, f.packing = bare, packing
		}
	}
	if c.Decimal != "" {
		f.decimal = c.Decimal[0]
	}
	switch {
	case strings.HasSuffix(name, ".csv"):
	case strings.HasSuffix(name, ".tsv"):
		f.comma = cmp.Or(f.comma, '\t')
	case strings.HasSuffix(name, ".parquet") && f.packing == bounded.Plain:
		f.parquet, f.decimal = true, cmp.Or(f.decimal, '.')
	default:
		return nil, &Error{Path: path, Found: "a name that does not say the format",
			Wanted: "one that ends in .csv, .tsv, .csv.gz, .csv.zst (.tsv likewise) or .parquet"}
	}
	return f, nil
}

// each calls row for each row with the cells of the columns, which are valid until it returns. It returns the names of
// the other columns.
func (f *file) each(ctx context.Context, columns []column, row func(p fileRow, cells []cell) error) ([]string, error) {
	opened, err := bounded.Open(f.path)
	if err != nil {
		return nil, f.unreadable(err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, f.unreadable(err)
	case info.Size() == 0:
		return nil, &Error{Path: f.path, Found: "an empty file", Wanted: "the columns " + list(names(columns))}
	case f.parquet:
		return f.eachParquet(ctx, opened, info.Size(), columns, row)
	}
	plain, err := bounded.NewReader(opened, f.packing, f.limit)
	if err != nil {
		return nil, f.unreadable(err)
	}
	defer plain.Close()
	return f.eachCSV(ctx, plain, columns, row)
}

// unreadable returns an error of the system, or of the code that limits and unpacks the file.
func (f *file) unreadable(err error) *Error {
	var kind *bounded.KindError
	var large *bounded.TooLargeError
	var damaged *bounded.DamagedError
	var system *fs.PathError
	switch {
	case errors.As(err, &kind):
		return &Error{Path: f.path, Found: kind.Kind(), Wanted: kind.Wanted()}
	case errors.As(err, &large):
		return &Error{Path: f.path, Found: large.Found(), Wanted: large.Wanted(), Err: errors.Join(err, dyngraph.ErrInvalid)}
	case errors.As(err, &damaged):
		return &Error{Path: f.path, Found: damaged.Found(), Wanted: "a whole file: copy it again"}
	case errors.As(err, &system):
		return &Error{Path: f.path, Found: system.Err.Error(), Wanted: "a file that can be read", Err: err}
	}
	return &Error{Path: f.path, Found: err.Error(), Wanted: "a file that can be read", Err: err}
}
