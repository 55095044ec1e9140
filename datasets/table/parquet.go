package table

import (
	"context"
	"os"
)

func (f *file) eachParquet(ctx context.Context, opened *os.File, size int64, columns []string,
	row func(p place, cells []cell) error) ([]string, error) {
	return nil, &Error{Path: f.path, Found: "a Parquet file", Wanted: "CSV"}
}
