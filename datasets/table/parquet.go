package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/flatparquet"
)

// leastPages is the memory, in bytes, that the pages of all columns may take in any case.
const leastPages = 8 << 20

// eachParquet is each for a Parquet file.
func (f *file) eachParquet(ctx context.Context, opened *os.File, size int64, columns []column,
	row func(p fileRow, cells []cell) error) (others []string, err error) {
	budget, err := f.limit.Budget()
	if err != nil {
		return nil, f.unreadable(err)
	}
	p := &parquetReader{file: f, rows: make([]parquet.Row, ctxEvery)}
	if err := p.guarded(func() (err error) {
		memory := max(leastPages, f.memory) / int64(len(columns))
		p.content, err = flatparquet.Open(opened, size, flatparquet.Limits{Memory: memory, Unpacked: budget})
		if err == nil {
			others, err = p.open(columns)
		}
		return err
	}); err != nil {
		return nil, err
	}
	for _, group := range p.groups {
		if err := p.group(ctx, group, row); err != nil {
			return nil, err
		}
	}
	return others, f.someRows(p.at)
}

// parquetReader reads the columns wanted of a file.
type parquetReader struct {
	file    *file
	content *flatparquet.File
	groups  []parquet.RowGroup
	convert []func(parquet.Value) cell
	rows    []parquet.Row
	at      int // how many rows were read
}

// open finds the columns, and returns the names of the others.
func (p *parquetReader) open(columns []column) ([]string, error) {
	indices, others, err := p.file.locate(p.content.Names(), columns, fileRow{file: p.file})
	if err != nil {
		return nil, err
	}
	selected, err := p.content.Select(indices...)
	if err != nil {
		return nil, err
	}
	p.groups = selected.RowGroups()
	for i, column := range selected.Root().Columns() {
		convert, err := p.file.converter(column, columns[i].truth)
		if err != nil {
			return nil, err
		}
		p.convert = append(p.convert, convert)
	}
	return others, nil
}

// group calls row for the rows of one.
func (p *parquetReader) group(ctx context.Context, group parquet.RowGroup, row func(fileRow, []cell) error) error {
	rows := group.Rows()
	defer func() { _ = p.guarded(rows.Close) }() // read only
	cells := make([]cell, 0, len(p.rows)*len(p.convert))
	for left := group.NumRows(); left > 0; {
		n := 0
		if err := p.guarded(func() (err error) {
			n, err = rows.ReadRows(p.rows[:min(left, int64(len(p.rows)))])
			if n == 0 && (err == nil || err == io.EOF) {
				err = fmt.Errorf("%w: %d rows are missing", io.ErrUnexpectedEOF, left)
			}
			if n > 0 && err == io.EOF {
				err = nil
			}
			cells, err = p.cells(cells[:0], p.rows[:n], err)
			return err
		}); err != nil {
			return err
		}
		left -= int64(n)
		for of := range slices.Chunk(cells, len(p.convert)) {
			p.at++
			if err := row(fileRow{p.file, p.at}, of); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("datasets/table: %s, row %d: %w", p.file.path, p.at, ctx.Err())
		}
	}
	return nil
}

// cells adds the cells of rows to a list, unless there is an error.
func (p *parquetReader) cells(list []cell, rows []parquet.Row, err error) ([]cell, error) {
	for _, row := range rows {
		if err != nil {
			break
		}
		if len(row) != len(p.convert) {
			return nil, fmt.Errorf("a row with %d of %d values", len(row), len(p.convert))
		}
		for i, v := range row {
			if v.IsNull() {
				list = append(list, cell{})
			} else {
				list = append(list, p.convert[i](v))
			}
		}
	}
	return list, err
}

// guarded reads with the Parquet library, whose panics and errors are about damaged files.
func (p *parquetReader) guarded(read func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = p.wrong(fmt.Errorf("%v", thrown))
		}
	}()
	if err = read(); err != nil {
		err = p.wrong(err)
	}
	return err
}

// wrong is what an error says of the file, in the row after those that were read.
func (p *parquetReader) wrong(err error) error {
	if p.content != nil && p.content.Err() != nil {
		err = p.content.Err() // before the library saw it
	}
	f, row := p.file, 0
	if p.convert != nil {
		row = p.at + 1
	}
	var known *Error
	var limit *flatparquet.LimitError
	var system *fs.PathError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &limit):
		return &Error{Path: f.path, Row: row, Found: limit.Error(), Wanted: "smaller pages or row groups: write it again, " +
			"or read it with a larger Config.MaxValues"}
	case errors.Is(err, bounded.ErrTooLarge), errors.As(err, &system):
		known = f.unreadable(err)
		known.Row = row
		return known
	}
	return &Error{Path: f.path, Row: row, Found: fmt.Sprintf("data that are damaged, end early or are no Parquet (%v)",
		err), Wanted: "a whole Parquet file: copy or write it again"}
}
