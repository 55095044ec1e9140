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
// days), and 1,000,000 values of nodes; "different" are ten million edges that occur once. "MiB-peak" is the largest
// resident memory of the process meanwhile.
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
	different := filepath.Join(folder, "different.csv")
	create(b, different, func(w io.Writer) {
		fmt.Fprintln(w, "time,source,destination,weight")
		for k := range days * perDay { // the second half of the edges is of the second time
			fmt.Fprintf(w, "%d,n%d,n%d,%d.5\n", 2*k/(days*perDay), k%nodes, (k%nodes*31+k/nodes)%nodes, k%100)
		}
	})
	for _, c := range []struct {
		name         string
		config       table.Config
		edges, times int
	}{
		{"csv", table.Config{Edges: table.Edges{Path: comma}}, perDay, days - 7},
		{"parquet", table.Config{Edges: table.Edges{Path: columns}}, perDay, days - 7},
		{"different", table.Config{Edges: table.Edges{Path: different}}, days * perDay, 2},
	} {
		if c.name != "different" {
			c.config.Nodes = table.Nodes{Path: values, Targets: []string{"cases"}}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				debug.FreeOSMemory()
				resident.Reset()
				start := time.Now()
				s := read(b, c.config).Series
				b.ReportMetric(float64(days*perDay)/time.Since(start).Seconds(), "edges/s")
				b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB-peak")
				if s.Pattern.Edges() != c.edges || len(s.Times) != c.times {
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
