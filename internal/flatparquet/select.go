package flatparquet

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// chunkSpan is how far apart the chunks begin in the file that parquet-go reads; no chunk is longer.
const chunkSpan = 1 << 40

// Select opens the outermost columns with these numbers as a file of its own. It has the columns in this order and the
// rows of the original file, which must be read group by group from the beginning; it has no rows if a column is a
// group. After an error of its readers, Err returns the fault of the file. parquet-go may panic on damaged content; the
// caller must recover.
func (f *File) Select(at ...int) (*parquet.File, error) {
	s := &selection{file: f, width: len(at), chunks: make(map[int64]*chunk)}
	metadata := format.FileMetaData{Version: 1,
		Schema: []format.SchemaElement{{Name: "rows", NumChildren: thrift.New(int32(len(at)))}}}
	leaves := true
	for _, i := range at {
		element := f.columns[i].element
		element.NumChildren = thrift.Null[int32]{}
		metadata.Schema = append(metadata.Schema, element)
		leaves = leaves && element.Type.Valid
	}
	for _, group := range f.groups {
		if !leaves {
			break
		}
		own := format.RowGroup{NumRows: group.NumRows}
		for _, i := range at {
			repetition := f.columns[i].element.RepetitionType
			s.from = append(s.from, source{&group.Columns[f.columns[i].leaf],
				repetition.Valid && repetition.V != format.Required})
			own.Columns = append(own.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{
				Type: f.columns[i].element.Type.V, PathInSchema: []string{f.columns[i].element.Name},
				DataPageOffset: int64(len(s.from)) * chunkSpan, TotalCompressedSize: chunkSpan,
				NumValues: group.NumRows}})
		}
		metadata.RowGroups, metadata.NumRows = append(metadata.RowGroups, own), metadata.NumRows+group.NumRows
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &metadata)
	if err != nil {
		return nil, err
	}
	s.end = append(binary.LittleEndian.AppendUint32(footer, uint32(len(footer))), mark...)
	s.endAt = int64(len(s.from)+1) * chunkSpan
	return parquet.OpenFile(s, s.endAt+int64(len(s.end)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.FileSchema(parquet.NewSchema("", parquet.Group{}))) // the schema of rows as Go values, which are not made
}

// Err is the first error about the file that was found while rows were read.
func (f *File) Err() error { return f.err }

// source is what a chunk is made of.
type source struct {
	chunk    *format.ColumnChunk
	optional bool // it has levels that say which values there are
}

// selection is the file of some columns.
type selection struct {
	file  *File
	width int      // how many columns
	from  []source // of the file that is read
	end   []byte   // footer and mark
	endAt int64

	lock   sync.Mutex
	chunks map[int64]*chunk // being read, by number from 1 on
}

// ReadAt reads the mark, the footer, or what comes next of a chunk.
func (s *selection) ReadAt(into []byte, at int64) (int, error) {
	if at >= s.endAt {
		return bytes.NewReader(s.end).ReadAt(into, at-s.endAt)
	}
	number := at / chunkSpan
	if number == 0 {
		return bytes.NewReader([]byte(mark)).ReadAt(into, at)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	c := s.chunks[number]
	if at -= number * chunkSpan; c == nil || at < c.at {
		var err error
		if c, err = s.file.open(s.from[number-1]); err != nil {
			return 0, s.failed(err)
		}
		delete(s.chunks, number-int64(s.width)) // of a group before
		s.chunks[number] = c
	}
	if _, err := io.CopyN(io.Discard, c, at-c.at); err != nil {
		return 0, s.failed(err)
	}
	n, err := io.ReadFull(c, into)
	if err == io.ErrUnexpectedEOF && c.done {
		err = io.EOF
	}
	return n, s.failed(err)
}

// failed keeps the first error that is not about the end of a chunk.
func (s *selection) failed(err error) error {
	if err != nil && err != io.EOF && s.file.err == nil {
		s.file.err = err
	}
	return err
}
