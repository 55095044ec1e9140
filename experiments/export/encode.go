package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
)

// kind is the Parquet type of a column.
type kind parquet.Node

// The kinds of columns with string, int64, float64, bool and time.Time values.
var (
	text   kind = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	whole  kind = parquet.Int(64)
	number kind = parquet.Leaf(parquet.DoubleType)
	truth  kind = parquet.Leaf(parquet.BooleanType)
	moment kind = parquet.Timestamp(parquet.Millisecond)
)

type column struct {
	name string
	kind kind
}

func writeCSV(out *bytes.Buffer, t table) error {
	w := csv.NewWriter(out)
	cells := make([]string, len(t.columns))
	for i, c := range t.columns {
		cells[i] = c.name
	}
	_ = w.Write(cells) // w.Error returns this error too
	for row := range t.rows {
		for i, value := range row {
			switch value := value.(type) {
			case nil:
				cells[i] = ""
			case time.Time:
				cells[i] = value.Format(time.RFC3339)
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
	columns []column
}

func (g inOrder) Fields() []parquet.Field {
	at := func(f parquet.Field) int {
		return slices.IndexFunc(g.columns, func(c column) bool { return c.name == f.Name() })
	}
	return slices.SortedFunc(slices.Values(g.Group.Fields()), func(a, b parquet.Field) int { return at(a) - at(b) })
}

func writeParquet(out *bytes.Buffer, t table) error {
	group := make(parquet.Group)
	for _, c := range t.columns {
		group[c.name] = parquet.Optional(c.kind)
	}
	schema := parquet.NewSchema("table", inOrder{group, t.columns})
	w := parquet.NewWriter(out, schema, parquet.Compression(&parquet.Zstd))
	line := make(parquet.Row, len(t.columns))
	for row := range t.rows {
		for i, value := range row {
			if at, ok := value.(time.Time); ok {
				value = at.UnixMilli()
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
