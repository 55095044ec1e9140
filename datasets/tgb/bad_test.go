package tgb_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func TestBadFiles(t *testing.T) {
	swap := func(content, old, with string) string {
		if !strings.Contains(content, old) {
			t.Fatalf("no %q in %q", old, content)
		}
		return strings.Replace(content, old, with, 1)
	}
	edges := func(old, with string) [2]string { return [2]string{swap(tradeEdges, old, with), tradeLabels} }
	labels := func(old, with string) [2]string { return [2]string{tradeEdges, swap(tradeLabels, old, with)} }
	for _, c := range []struct {
		name     string
		contents [2]string
		line     int
		says     string
	}{
		{"empty file", [2]string{"", tradeLabels}, 1, "found no text, want one that names the columns time"},
		{"no first line", edges("year,nation,trading nation,weight\n", ""), 1, `first line "1986,Chad`},
		{"first line of other columns", edges("weight", "share"), 1, `nation,share", want one that names the columns`},
		{"columns in another order", edges("year,nation", "nation,year"), 1,
			"time (time, year, timestamp, ts), source, destination, weight"},
		{"first line too short", edges(",weight", ""), 1, "want one that names"},
		{"first line of labels", labels("year", "when"), 1, "time (time, year, timestamp, ts)"},
		{"semicolons", [2]string{strings.ReplaceAll(tradeEdges, ",", ";"), tradeLabels}, 1, "year;nation"},
		{"no rows", [2]string{tradeEdges[:strings.Index(tradeEdges, "\n")+1], tradeLabels}, 1, "a first line without rows"},
		{"no rows of labels", [2]string{tradeEdges, tradeLabels[:strings.Index(tradeLabels, "\n")+1]}, 1, "without rows"},
		{"a field too few", edges("1986,Chad,Peru,0.75", "1986,Chad,0.75"), 3, "found 3 cells, want 4"},
		{"a field too many", edges("1986,Chad,Peru,0.75", "1986,Chad, Lake,Peru,0.75"), 3, "found 5 cells, want 4"},
		{"a field too few in labels", labels("1987,Chad,Peru,1", "1987,Chad,1"), 2, "found 3 cells"},
		{"quote left open", edges(`1986,Peru`, `1986,"Peru`), 4, "a quote that is not closed"},
		{"quote left open in labels", labels(`mainland"""`, `mainland""`), 4, "a quote that is not closed"},
		{"quote within a name", edges("1986,Peru", `1986,P"er"u`), 4, "a quote within a cell (line 4, byte 7)"},
		{"text after a quote", edges("1986,Peru", `1986,"Pe"ru`), 4, "or text after it"},
		{"unsorted", edges("1987,Chad", "1985,Chad"), 5, "found the time 1985 after 1986, want rows in order of time"},
		{"unsorted labels", labels("1987", "1990"), 3, "found the time 1988 after 1990"},
		{"time with a fraction", edges("1987", "1986.5"), 5, "want a whole number"},
		{"time that is a date", edges("1987", "1987-01-01"), 5, `the time "1987-01-01"`},
		{"no time", edges("1987", ""), 5, `the time ""`},
		{"no first time", edges("1986", ""), 2, `the time ""`},
		{"infinite time", edges("1989", "Inf"), 7, `the time "Inf"`},
		{"negative weight", edges("0.75", "-0.75"), 3, `found the weight "-0.75", want a number that is not negative`},
		{"NaN", edges("0.75", "NaN"), 3, `found the weight "NaN", want a finite number`},
		{"infinite weight", edges("0.75", "1e999"), 3, "want a finite number"},
		{"no weight", edges("0.75", ""), 3, `found the weight ""`},
		{"negative label", labels("0.5", "-0.5"), 3, `found the weight "-0.5"`},
		{"NaN label", labels("0.5", "nan"), 3, `found the weight "nan"`},
		{"node without an edge", labels("1987,Chad", "1987,Mali"), 2, `found the source "Mali", want one that has an edge`},
		{"class without an edge", labels("Chad,Peru", "Chad,Mali"), 2, `found the destination "Mali"`},
		{"second label", labels("1987,Chad,Peru,1\n", "1987,Chad,Peru,1\n1987,Chad,Peru,1\n"), 3, "the first in line 2"},
		{"no name", edges("1986,Chad,Peru", "1986,Chad, "), 3, "want a name in UTF-8"},
		{"another encoding", edges("1986,Chad,Peru", "1986,Chad,C\xf4te"), 3, `"C\xf4te", want a name in UTF-8`},
		{"endless row", edges("1986,Peru", "1986,"+strings.Repeat("Peru ", 4<<20)), 4, "a row of more than 16 MiB"},
		{"endless quote", edges("1986,Peru", `1986,"`+strings.Repeat("Peru\n", 4<<20)), 4, "a row of more than 16 MiB"},
	} {
		_, err := open("tgbn-trade", c.contents[0], c.contents[1])
		wantFault(t, c.name, err, c.line, c.says)
	}
}

func wantFault(t *testing.T, name string, err error, line int, says string) {
	t.Helper()
	var fault *tgb.Error
	if !errors.As(err, &fault) || fault.Line != line || !strings.Contains(fault.Error(), says) ||
		!errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("%s: error %v, want one of line %d that says %q", name, err, line, says)
	}
}

func TestBadUsers(t *testing.T) {
	_, err := open("tgbn-token", tokenEdges+"1500000001,0xa,0xt3,1,1\n1500000002,0xa,0xt4,1,1\n", tokenLabels)
	wantFault(t, "too many classes", err, 6, `found the token "0xt4", want one of the 3 before`)
	_, err = open("tgbn-token", strings.Replace(tokenEdges, "1e20,1", "1e20,yes", 1), tokenLabels)
	wantFault(t, "sender", err, 2, `found the is-sender "yes"`)
	_, err = open("tgbn-reddit", strings.Replace(redditEdges, "12,3", "12,-", 1), redditLabels)
	wantFault(t, "score", err, 2, `found the score "-"`)
	_, err = open("tgbn-reddit", redditEdges, strings.Replace(redditLabels, ",1", ",-1", 1))
	wantFault(t, "label of reddit", err, 2, "want a number that is not negative")
}

// A file that ends early says so: cut in half, or altered, within gzip.
func TestDamagedGzip(t *testing.T) {
	whole := gzipped(t, tradeEdges+strings.Repeat("1990,Chad,Peru,0.123456789\n1990,Peru,Chad,0.987\n", 3000))
	altered := append([]byte(nil), whole...)
	altered[len(altered)-6]++ // in its checksum
	scratched := append([]byte(nil), whole...)
	scratched[10] |= 0b110 // a kind of block that there is none of
	for name, content := range map[string][]byte{"cut": whole[:len(whole)/2], "altered": altered, "head": whole[:5],
		"scratched": scratched} {
		_, err := tgb.Open(context.Background(), tgb.Config{Name: "tgbn-trade", Files: fstest.MapFS{
			"tgbn-trade_edgelist.csv.gz": {Data: content}, "tgbn-trade_node_labels.csv": {Data: []byte(tradeLabels)}}})
		var fault *tgb.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), "compressed data that are damaged or end early") ||
			!errors.Is(err, dyngraph.ErrInvalid) || name == "cut" && fault.Line < 8 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// So does a file within a zip.
func TestDamagedZip(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, content := range map[string]string{"tgbn-trade_edgelist.csv": tradeEdges,
		"tgbn-trade_node_labels.csv": tradeLabels} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "own.zip")
	damaged := bytes.Replace(packed.Bytes(), []byte("1989,Peru"), []byte("1990,Peru"), 1)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := tgb.Open(context.Background(), tgb.Config{Name: "tgbn-trade", Path: path})
	wantFault(t, "zip", err, 8, "compressed data that are damaged or end early (zip: checksum error)")
}
