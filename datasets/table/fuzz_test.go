package table_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// FuzzRead wants of any two files and step an error about the content, or a series that can be trained on and that
// the recipe reads again.
func FuzzRead(f *testing.F) {
	for _, step := range []string{"", "1d", "0.5", "1us"} {
		f.Add([]byte(goodEdges), []byte(goodNodes), step, false)
		f.Add([]byte("time,source,destination,weight\n1,1,2,3\n-2.5,2,2,0\n"),
			[]byte("node,time,cases,beds\r\n1,1,,2\r\n\"2\",-2.5,1e3,NA\r\n"), step, true)
	}
	f.Add([]byte("time,source,destination,weight\n2020-03,a,b,1\n"),
		[]byte("time,node,cases,beds\n2020-03-01,a,1,\n"), "2w", true)
	for _, text := range []string{"1,5", "1.234,5", "1,234", "2.5", "", "NA", "1.5,"} {
		f.Add([]byte("Day;SRC;to;count\n2020-03-01;a;b;"+text+"\n2020-03-02;a;b;0,25\n"),
			[]byte("date,region,cases,beds\n2020-03-01,a,1,\n2020-03-02,a,2,\"2,5\"\n2020-03-02,a,2,1\n"), "1d", true)
	}
	f.Add([]byte("time,date,source,destination,weight\n1,2,a,b,1\n"), []byte(goodNodes), "", false)
	f.Add([]byte("\"a,b\";time\n\n"), []byte(goodNodes), "", false)
	for _, day := range []string{"3/4/2020", "31/03/2020", "31.03.2020 18:30", "3-4-2020", "20200331"} {
		f.Add([]byte(strings.ReplaceAll(goodEdges, "2020-03-01", day)), []byte(goodNodes), "", false)
	}
	folder := f.TempDir()
	edges, nodes := filepath.Join(folder, "edges.csv"), filepath.Join(folder, "nodes.csv")
	f.Fuzz(func(t *testing.T, edgeRows, nodeRows []byte, step string, hold bool) {
		if err := errors.Join(os.WriteFile(edges, edgeRows, 0o600), os.WriteFile(nodes, nodeRows, 0o600)); err != nil {
			t.Fatal(err)
		}
		c := table.Config{Edges: table.Edges{Path: edges}, Nodes: table.Nodes{Path: nodes, Targets: []string{"cases"},
			Features: []string{"beds"}}, Lags: 1, MaxValues: 1 << 16, Notices: io.Discard}
		if hold {
			c.WithoutEdges, c.KeepGaps, c.Edges.EmptyWeight = table.Hold, true, table.Drop
		}
		var err error
		if c.Step, err = table.ParseStep(step); err != nil {
			wantInvalid(t, err)
			return
		}
		data, err := table.Read(context.Background(), c)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		again, errAgain := data.Recipe.Read(context.Background(), edges, nodes)
		if err := errors.Join(data.Series.Validate(), errAgain); err != nil {
			t.Fatal(err)
		}
		if len(again.Times) != len(data.Series.Times) {
			t.Errorf("%d snapshots, %d by the recipe", len(data.Series.Times), len(again.Times))
		}
	})
}

// encodedEdge has encodings that state how many values follow.
type encodedEdge struct {
	Time        int64    `parquet:"time,delta"`
	Source      string   `parquet:"source,dict"`
	Destination string   `parquet:"destination,delta"`
	Weight      *float64 `parquet:"weight,split"`
}

// FuzzParquet wants of any Parquet file an error about the content or a series.
func FuzzParquet(f *testing.F) {
	day := time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC)
	f.Add([]byte(encoded(f, parquetEdge{day, "a", "b", 1}, parquetEdge{day.Add(time.Hour), "b", "c", 2})))
	for _, codec := range []compress.Codec{&parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli,
		&parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			var content bytes.Buffer
			w := parquet.NewGenericWriter[encodedEdge](&content, parquet.Compression(codec), parquet.DataPageVersion(version))
			_, err := w.Write([]encodedEdge{{1, "a", "b", nil}, {2, "b", "b", new(float64)}, {2, "b", "abc", new(float64)}})
			if err := errors.Join(err, w.Close()); err != nil {
				f.Fatal(err)
			}
			f.Add(content.Bytes())
		}
	}
	f.Add([]byte(decimals(f, parquet.ByteArrayType, parquet.ByteArrayValue([]byte{0xff, 2}))))
	f.Add([]byte(decimals(f, parquet.FixedLenByteArrayType(2), parquet.FixedLenByteArrayValue([]byte{1, 2}))))
	// 2^31-1 columns in 21 bytes.
	f.Add([]byte("PAR1\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x09\x00\x00\x00PAR1"))
	path := filepath.Join(f.TempDir(), "edges.parquet")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := table.Read(context.Background(), table.Config{Edges: table.Edges{Path: path}, MaxValues: 1 << 16,
			WithoutEdges: table.Empty, Notices: io.Discard})
		if err != nil {
			wantInvalid(t, err)
		} else if err := data.Series.Validate(); err != nil {
			t.Error(err)
		}
	})
}

func wantInvalid(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, dyngraph.ErrInvalid) {
		t.Error(err)
	}
}

// FuzzDateFormat wants of any format an error about it or the file, or a series, of any text in the column of times.
func FuzzDateFormat(f *testing.F) {
	for _, format := range []string{"MM/DD/YYYY", "DD.MM.YYYY hh:mm:ss", "YYYYMMDD", "YYYY/MM", "MM-DD-YYYY hh:mm AM",
		"01/02/2006", "YYYY", "MMss YYYY", "YYYYMMMM", "DDMMYYYYhhmm"} {
		f.Add(format, "03/04/2020")
	}
	f.Fuzz(func(t *testing.T, format, cell string) {
		path := filepath.Join(t.TempDir(), "edges.tsv")
		content := "time\tsource\tdestination\tweight\n" + cell + "\ta\tb\t1\n"
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := table.Read(context.Background(), table.Config{Edges: table.Edges{Path: path}, DateFormat: format,
			Notices: io.Discard})
		if err != nil {
			wantInvalid(t, err)
		}
	})
}
