package table

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/parquet-go/parquet-go"
)

// eachParquet is each for a Parquet file: the columns wanted are read page by page, side by side.
func (f *file) eachParquet(ctx context.Context, opened *os.File, size int64, columns []string,
	row func(p place, cells []cell) error) ([]string, error) {
	var content *parquet.File
	var others []string
	readers := make([]*columnReader, len(columns))
	if err := f.guarded(func() error {
		err := checkFooter(opened, size)
		if err != nil {
			return err
		}
		content, err = parquet.OpenFile(io.NewSectionReader(opened, 0, size), size, parquet.SkipPageIndex(true),
			parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		others, err = f.columnReaders(content, columns, readers)
		return err
	}); err != nil {
		return nil, err
	}
	rows, cells := 0, make([]cell, len(columns))
	for _, group := range content.RowGroups() {
		if err := f.guarded(func() error {
			chunks := group.ColumnChunks()
			for _, reader := range readers {
				reader.chunk = chunks[reader.index]
			}
			return nil
		}); err != nil {
			return nil, err
		}
		err := func() error {
			defer func() {
				for _, reader := range readers {
					reader.close()
				}
			}()
			for range group.NumRows() {
				rows++
				for i, reader := range readers {
					if reader.next == len(reader.cells) {
						if err := f.guarded(reader.batch); err != nil {
							return err
						}
					}
					cells[i] = reader.cells[reader.next]
					reader.next++
				}
				if err := row(place{f, rows}, cells); err != nil {
					return err
				}
				if rows%ctxEvery == 0 && ctx.Err() != nil {
					return fmt.Errorf("datasets/table: %s, row %d: %w", f.path, rows, ctx.Err())
				}
			}
			return nil
		}()
		var known *Error
		if errors.As(err, &known) && known.Row == 0 {
			known.Row = rows
		}
		if err != nil {
			return nil, err
		}
	}
	return others, f.someRows(rows)
}

// checkFooter finds a footer that cannot be in the file, which the library would take memory for.
func checkFooter(r io.ReaderAt, size int64) error {
	const mark, ends = "PAR1", 8 // the file ends in the length of the footer and the mark, and begins with the mark
	last := make([]byte, ends)
	if size < ends+int64(len(mark)) {
		return fmt.Errorf("%d bytes", size)
	}
	if _, err := r.ReadAt(last, size-ends); err != nil {
		return err
	}
	if got := string(last[4:]); got != mark {
		return fmt.Errorf("the end is %q, not %q", got, mark)
	}
	if footer := int64(binary.LittleEndian.Uint32(last)); footer > size-ends-int64(len(mark)) {
		return fmt.Errorf("a footer of %d bytes in a file of %d", footer, size)
	}
	return nil
}

// columnReaders makes those of the columns, and returns the names of the others.
func (f *file) columnReaders(content *parquet.File, columns []string, readers []*columnReader) ([]string, error) {
	var header []string
	top := content.Root().Columns()
	for _, column := range top {
		header = append(header, column.Name())
	}
	places, others, err := f.locate(header, columns, place{file: f})
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		convert, err := f.converter(top[at])
		if err != nil {
			return nil, err
		}
		readers[i] = &columnReader{index: top[at].Index(), convert: convert}
	}
	return others, nil
}

// columnReader reads one column of a row group, some cells at a time.
type columnReader struct {
	index   int
	convert func(parquet.Value) cell
	chunk   parquet.ColumnChunk

	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer []parquet.Value
	cells  []cell
	next   int
}

// batch reads the next cells, of which there is at least one.
func (r *columnReader) batch() error {
	if r.pages == nil {
		r.pages = r.chunk.Pages()
	}
	if r.buffer == nil {
		r.buffer = make([]parquet.Value, ctxEvery)
	}
	r.cells, r.next = r.cells[:0], 0
	for {
		if r.values == nil {
			page, err := r.pages.ReadPage()
			if err == io.EOF {
				return io.ErrUnexpectedEOF
			}
			if err != nil {
				return err
			}
			r.page, r.values = page, page.Values()
		}
		n, err := r.values.ReadValues(r.buffer)
		for _, v := range r.buffer[:n] {
			if v.IsNull() {
				r.cells = append(r.cells, cell{})
			} else {
				r.cells = append(r.cells, r.convert(v))
			}
		}
		if err == io.EOF {
			r.release()
		} else if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
	}
}

func (r *columnReader) release() {
	if r.page != nil {
		parquet.Release(r.page)
	}
	r.page, r.values = nil, nil
}

func (r *columnReader) close() {
	r.release()
	if r.pages != nil {
		r.pages.Close() // read only
	}
	r.pages, r.cells, r.next = nil, r.cells[:0], 0
}

// guarded reads with the Parquet library, whose panics and errors are about damaged files.
func (f *file) guarded(read func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = f.damaged(fmt.Errorf("%v", thrown))
		}
	}()
	err = read()
	var known *Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return f.damaged(err)
}

func (f *file) damaged(err error) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		return f.unreadable(err)
	}
	return &Error{Path: f.path, Found: fmt.Sprintf("data that are damaged, end early or are no Parquet (%v)", err),
		Wanted: "a whole Parquet file: copy or write it again"}
}
