// Package tabular writes tables of typed columns as CSV and Parquet.
package tabular

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
)

// Kind makes columns of one Parquet type.
type Kind func(name string) Column

// The kinds of columns with string, int64, float64, bool and time.Time values.
var (
	Text   = kind(parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
	Whole  = kind(parquet.Int(64))
	Number = kind(parquet.Leaf(parquet.DoubleType))
	Truth  = kind(parquet.Leaf(parquet.BooleanType))
	Moment = kind(parquet.Timestamp(parquet.Microsecond))
)

// Column is a column of a table.
type Column struct {
	Name string
	node parquet.Node
}

func kind(node parquet.Node) Kind { return func(name string) Column { return Column{name, node} } }

// Table is the content of a file. Each row has a value for each column; a missing value is nil.
type Table struct {
	Columns []Column
	Rows    iter.Seq[[]any]
}

// WriteCSV writes numbers with all their digits, times as in RFC 3339, and an empty field for a missing value.
func WriteCSV(out *bytes.Buffer, t Table) error {
	w := csv.NewWriter(out)
	cells := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		cells[i] = c.Name
	}
	_ = w.Write(cells) // w.Error returns this error too
	for row := range t.Rows {
		for i, value := range row {
			switch value := value.(type) {
			case nil:
				cells[i] = ""
			case time.Time:
				cells[i] = FormatTime(value, false)
			default:
				cells[i] = fmt.Sprint(value) // with all digits of a float64
			}
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return w.Error()
}

// inOrder keeps columns in the order of the slice; [parquet.Group] sorts them by name.
type inOrder struct {
	parquet.Group
	columns []Column
}

func (g inOrder) Fields() []parquet.Field {
	at := func(f parquet.Field) int {
		return slices.IndexFunc(g.columns, func(c Column) bool { return c.Name == f.Name() })
	}
	return slices.SortedFunc(slices.Values(g.Group.Fields()), func(a, b parquet.Field) int { return at(a) - at(b) })
}

// WriteParquet writes typed values, and null for a missing value.
func WriteParquet(out *bytes.Buffer, t Table) error {
	group := make(parquet.Group)
	for _, c := range t.Columns {
		group[c.Name] = parquet.Optional(c.node)
	}
	schema := parquet.NewSchema("table", inOrder{group, t.Columns})
	w := parquet.NewWriter(out, schema, parquet.Compression(&parquet.Zstd))
	line := make(parquet.Row, len(t.Columns))
	for row := range t.Rows {
		for i, value := range row {
			if at, ok := value.(time.Time); ok {
				value = at.UnixMicro()
			}
			if value == nil {
				line[i] = parquet.NullValue().Level(0, 0, i)
			} else {
				line[i] = parquet.ValueOf(value).Level(0, 1, i)
			}
		}
		if _, err := w.WriteRows([]parquet.Row{line}); err != nil {
			return err
		}
	}
	return w.Close()
}
