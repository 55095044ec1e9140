package export

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
)

func writeCSV(out *bytes.Buffer, t table) error {
	w := csv.NewWriter(out)
	cells := make([]string, len(t.columns))
	for i, c := range t.columns {
		cells[i] = c.name
	}
	err := w.Write(cells)
	for row := range t.rows {
		if err != nil {
			return err
		}
		for i, value := range row {
			switch value := value.(type) {
			case nil:
				cells[i] = ""
			case float64:
				cells[i] = strconv.FormatFloat(value, 'g', -1, 64)
			case time.Time:
				cells[i] = value.Format(time.RFC3339)
			default:
				cells[i] = fmt.Sprint(value)
			}
		}
		err = w.Write(cells)
	}
	w.Flush()
	return cmp.Or(err, w.Error())
}

// inOrder is a group with columns in an order of their own; that of [parquet.Group] is by name.
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
		var node parquet.Node
		switch c.kind.(type) {
		case string:
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		case int64:
			node = parquet.Int(64)
		case float64:
			node = parquet.Leaf(parquet.DoubleType)
		case bool:
			node = parquet.Leaf(parquet.BooleanType)
		case time.Time:
			node = parquet.Timestamp(parquet.Millisecond)
		}
		group[c.name] = parquet.Optional(node)
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
