package table_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/peng-cde/pengcde-go/datasets/table"
)

const (
	goodEdges = "time,source,destination,weight\n2020-03-01,a,b,1\n2020-03-02,b,a,2\n2020-03-02,b,c,3\n"
	goodNodes = "time,node,cases,beds\n2020-03-01,a,1,5\n2020-03-01,b,2,6\n2020-03-01,c,3,7\n" +
		"2020-03-02,a,4,8\n2020-03-02,b,5,9\n2020-03-02,c,6,10\n"
)

// write puts content into a file of a folder of the test's own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(t testing.TB, content string) string {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func zstandard(t testing.TB, content string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(content), nil))
}

// small is a configuration for files such as goodEdges and goodNodes, with notices into the buffer that it returns.
func small(edges, nodes string) (table.Config, *bytes.Buffer) {
	notices := &bytes.Buffer{}
	return table.Config{
		Edges: table.Edges{Path: edges},
		Nodes: table.Nodes{Path: nodes, Targets: []string{"cases"}, Features: []string{"beds"}},
		Lags:  1, Notices: notices,
	}, notices
}

// read reads what has to be read without an error.
func read(t testing.TB, c table.Config) *table.Data {
	t.Helper()
	data, err := table.Read(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
