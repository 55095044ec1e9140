package table_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/internal/resident"
)

// BenchmarkRead reads ten million edges, 100,000 on each of 100 days among 10,000 nodes (with -short a tenth of the
// days), and 1,000,000 values of nodes. "MiB-peak" is the largest resident memory of the process meanwhile.
func BenchmarkRead(b *testing.B) {
	const nodes, perDay = 10_000, 100_000
	days := 100
	if testing.Short() {
		days = 10
	}
	day := func(t int) time.Time { return time.Date(2020, 1, 1+t, 0, 0, 0, 0, time.UTC) }
	edge := func(k int) (from, to int) { return k / 10, (k/10 + 1 + k%10*997) % nodes }
	folder := b.TempDir()
	values := filepath.Join(folder, "nodes.csv")
	create(b, values, func(w io.Writer) {
		fmt.Fprintln(w, "time,node,cases")
		for t := range days {
			for u := range nodes {
				fmt.Fprintf(w, "%s,n%d,%d\n", day(t).Format(time.DateOnly), u, (u*31+t*17)%1000)
			}
		}
	})
	comma := filepath.Join(folder, "edges.csv")
	create(b, comma, func(w io.Writer) {
		fmt.Fprintln(w, "time,source,destination,weight")
		for t := range days {
			date := day(t).Format(time.DateOnly)
			for k := range perDay {
				from, to := edge(k)
				fmt.Fprintf(w, "%s,n%d,n%d,%d.5\n", date, from, to, (k+t)%100)
			}
		}
	})
	columns := filepath.Join(folder, "edges.parquet")
	create(b, columns, func(w io.Writer) {
		writer := parquet.NewGenericWriter[parquetEdge](w, parquet.Compression(&parquet.Snappy))
		rows := make([]parquetEdge, perDay)
		for t := range days {
			for k := range rows {
				from, to := edge(k)
				rows[k] = parquetEdge{day(t), fmt.Sprint("n", from), fmt.Sprint("n", to), float64((k+t)%100) + 0.5}
			}
			if _, err := writer.Write(rows); err != nil {
				b.Fatal(err)
			}
			if err := writer.Flush(); err != nil {
				b.Fatal(err)
			}
		}
		if err := writer.Close(); err != nil {
			b.Fatal(err)
		}
	})
	for name, path := range map[string]string{"csv": comma, "parquet": columns} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				debug.FreeOSMemory()
				resident.Reset()
				start := time.Now()
				data := read(b, table.Config{Edges: table.Edges{Path: path},
					Nodes: table.Nodes{Path: values, Targets: []string{"cases"}}, Notices: io.Discard})
				b.ReportMetric(float64(days*perDay)/time.Since(start).Seconds(), "edges/s")
				b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB-peak")
				if s := data.Series; s.Pattern.Edges() != perDay || len(s.Times) != max(1, days-7) {
					b.Fatal(s.Pattern.Edges(), len(s.Times))
				}
			}
		})
	}
}

func create(b *testing.B, path string, content func(io.Writer)) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	content(w)
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
