package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// file is one that rows are read from.
type file struct {
	path    string
	parquet bool
	comma   rune
	packed  string // "gz", "zst" or ""
}

// ctxEvery is after how many rows a reader looks whether it is still wanted.
const ctxEvery = 1 << 12

func newFile(path string) (*file, error) {
	f := &file{path: path, comma: ','}
	name := strings.ToLower(path)
	for _, ending := range []string{"gz", "zst"} {
		if bare, found := strings.CutSuffix(name, "."+ending); found {
			name, f.packed = bare, ending
		}
	}
	switch {
	case strings.HasSuffix(name, ".csv"):
	case strings.HasSuffix(name, ".tsv"):
		f.comma = '\t'
	case strings.HasSuffix(name, ".parquet") && f.packed == "":
		f.parquet = true
	default:
		return nil, &Error{Path: path, Found: "a name that does not say the format",
			Wanted: "one that ends in .csv, .tsv, .csv.gz, .csv.zst (.tsv likewise) or .parquet"}
	}
	return f, nil
}

// each calls row for each row with the cells of the columns, which are valid until it returns. It returns the names of
// the other columns.
func (f *file) each(ctx context.Context, columns []string, row func(p place, cells []cell) error) ([]string, error) {
	opened, err := os.Open(f.path)
	if err != nil {
		return nil, f.unreadable(err)
	}
	defer opened.Close()
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, f.unreadable(err)
	case info.IsDir():
		return nil, &Error{Path: f.path, Found: "a directory", Wanted: "a file"}
	case info.Size() == 0 && info.Mode().IsRegular():
		return nil, &Error{Path: f.path, Found: "an empty file", Wanted: "the columns " + list(columns)}
	case f.parquet:
		return f.eachParquet(ctx, opened, info.Size(), columns, row)
	}
	plain, done, err := f.plain(opened)
	if err != nil {
		return nil, err
	}
	defer done()
	return f.eachCSV(ctx, plain, columns, row)
}

// plain is the content without compression.
func (f *file) plain(r io.Reader) (io.Reader, func(), error) {
	switch f.packed {
	case "gz":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, f.unpacking(err)
		}
		return unpacker{f, z}, func() { z.Close() }, nil
	case "zst":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, f.unpacking(err)
		}
		return unpacker{f, z}, z.Close, nil
	}
	return r, func() {}, nil
}

// unpacker says of errors that the compressed data are to blame.
type unpacker struct {
	file *file
	r    io.Reader
}

func (u unpacker) Read(into []byte) (int, error) {
	n, err := u.r.Read(into)
	if err != nil && err != io.EOF {
		err = u.file.unpacking(err)
	}
	return n, err
}

func (f *file) unpacking(err error) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		return f.unreadable(err)
	}
	return &Error{Path: f.path, Found: fmt.Sprintf("compressed data that are damaged or end early (%v)", err),
		Wanted: "a whole file: copy it again"}
}

func (f *file) unreadable(err error) error {
	cause := err
	var system *fs.PathError
	if errors.As(err, &system) {
		cause = system.Err
	}
	return &Error{Path: f.path, Found: cause.Error(), Wanted: "a file that can be read", Err: err}
}

const wantedColumn = "a column with this name"

// locate finds the columns in a header, in the order asked for, and the names of the others.
func (f *file) locate(header, columns []string, at place) (places []int, others []string, err error) {
	for _, column := range columns {
		found := slices.Index(header, column)
		if found < 0 {
			wanted := wantedColumn
			if len(header) == 1 && f.comma == ',' {
				for _, other := range []string{";", "\t", "|"} {
					if strings.Contains(header[0], other) {
						wanted = fmt.Sprintf("cells separated by commas, not %q: convert the file (with tabs, name it .tsv)",
							other)
					}
				}
			}
			return nil, nil, at.fault(column, "the columns "+list(header), wanted)
		}
		if slices.Contains(header[found+1:], column) {
			return nil, nil, at.fault(column, "two columns with this name", "one: rename the other")
		}
		places = append(places, found)
	}
	for i, name := range header {
		if !slices.Contains(places, i) {
			others = append(others, name)
		}
	}
	return places, others, nil
}
