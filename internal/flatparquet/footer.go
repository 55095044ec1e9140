package flatparquet

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// Limits bounds the memory and the bytes of a reading.
type Limits struct {
	// Memory bounds the memory, in bytes, of the footer and, separately, of the pages of each column at a time.
	Memory int64
	// Unpacked bounds the bytes of all pages that are read.
	Unpacked *bounded.Budget
}

// File is a Parquet file with its footer read.
type File struct {
	r      io.ReaderAt
	size   int64
	limits Limits

	columns []column
	groups  []format.RowGroup

	err error
}

// column is one of the outermost.
type column struct {
	element format.SchemaElement
	leaf    int // its number among the columns of a row group; without meaning for a group
}

const mark = "PAR1" // at both ends of a file

// Open reads the footer of a file.
func Open(r io.ReaderAt, size int64, limits Limits) (*File, error) {
	footer, err := readFooter(r, size, limits.Memory)
	if err != nil {
		return nil, err
	}
	length, err := structLength(footer, limits.Memory)
	if err != nil {
		return nil, fmt.Errorf("its footer: %w", err)
	}
	if length != len(footer) {
		return nil, fmt.Errorf("a footer with %d bytes too many, as of a file that is signed", len(footer)-length)
	}
	var metadata format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, &metadata); err != nil {
		return nil, err
	}
	f := &File{r: r, size: size, limits: limits, groups: metadata.RowGroups}
	leaves, err := f.addColumns(metadata.Schema)
	if err != nil {
		return nil, err
	}
	for i, group := range f.groups {
		if len(group.Columns) != leaves || group.NumRows < 0 {
			return nil, fmt.Errorf("row group %d with %d rows of %d columns, where the schema has %d", i, group.NumRows,
				len(group.Columns), leaves)
		}
	}
	return f, nil
}

// readFooter is the footer, which must lie in the file.
func readFooter(r io.ReaderAt, size, memory int64) ([]byte, error) {
	const ends = 8 // the file ends in the length of the footer and the mark
	var first [len(mark)]byte
	var last [ends]byte
	if size < ends+int64(len(mark)) {
		return nil, fmt.Errorf("%d bytes", size)
	}
	if _, err := r.ReadAt(first[:], 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadAt(last[:], size-ends); err != nil {
		return nil, err
	}
	if string(first[:]) != mark || string(last[4:]) != mark {
		return nil, fmt.Errorf("the ends are %q and %q, not %q", first, last[4:], mark)
	}
	length := int64(binary.LittleEndian.Uint32(last[:]))
	if length > size-ends-int64(len(mark)) {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", length, size)
	}
	if length > memory {
		return nil, &LimitError{"a footer", length, memory}
	}
	footer := make([]byte, length)
	_, err := r.ReadAt(footer, size-ends-length)
	return footer, err
}

// addColumns takes the outermost columns of a schema, which lists each group before what it has, and returns how many
// leaves there are.
func (f *File) addColumns(schema []format.SchemaElement) (leaves int, err error) {
	if len(schema) == 0 {
		return 0, fmt.Errorf("a schema without columns")
	}
	at := 1
	for range schema[0].NumChildren.V {
		if at >= len(schema) {
			return 0, fmt.Errorf("a schema of %d columns, which states %d outermost ones", len(schema)-1,
				schema[0].NumChildren.V)
		}
		f.columns = append(f.columns, column{schema[at], leaves})
		for below := int64(1); below > 0; at++ {
			if at >= len(schema) {
				return 0, fmt.Errorf("a schema that ends within the column %.60q", f.columns[len(f.columns)-1].element.Name)
			}
			below--
			switch children := schema[at].NumChildren.V; {
			case schema[at].Type.Valid:
				leaves++
			case children > 0:
				below += int64(children)
			}
		}
	}
	if at != len(schema) {
		return 0, fmt.Errorf("a schema with %d columns too many", len(schema)-at)
	}
	return leaves, nil
}

// Names returns the names of the outermost columns.
func (f *File) Names() (names []string) {
	for _, c := range f.columns {
		names = append(names, c.element.Name)
	}
	return names
}
