package table_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// want is what an error has to say.
type want struct {
	file      string // base name
	line, row int
	column    string
	text      string // part of what was found or wanted
}

func swap(text, old, new string) string {
	if !strings.Contains(text, old) {
		panic("no " + old)
	}
	return strings.Replace(text, old, new, 1)
}

// encoded is a Parquet file of rows.
func encoded[T any](t testing.TB, rows ...T) string {
	t.Helper()
	var out bytes.Buffer
	if err := parquet.Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type parquetEdge struct {
	Time        time.Time `parquet:"time,timestamp"`
	Source      string    `parquet:"source"`
	Destination string    `parquet:"destination"`
	Weight      float64   `parquet:"weight"`
}

// TestBadFiles reads files that are wrong in one way each. Every one is an error that says where; none panics, and
// nothing is left out in silence.
func TestBadFiles(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2020, 3, n, 0, 0, 0, 0, time.UTC) }
	goodParquet := encoded(t, parquetEdge{day(1), "a", "b", 1}, parquetEdge{day(2), "b", "c", 2})
	type change func(c *table.Config)
	step := func(s table.Step) change { return func(c *table.Config) { c.Step = s } }
	for name, c := range map[string]struct {
		edges, nodes         string // content, the good one where empty
		edgesName, nodesName string
		change               change
		want                 want
	}{
		"missing column": {edges: swap(goodEdges, "weight", "people"),
			want: want{"edges.csv", 1, 0, "weight", `found the columns "time", "source", "destination", "people"`}},
		"a column with two uses": {
			change: func(c *table.Config) { c.Nodes.Targets, c.Nodes.Node = []string{"node"}, "" },
			want:   want{"nodes.csv", 1, 0, "node", `"node" is Nodes.Targets already`}},
		"a clock that goes back": {
			edges: "time,source,destination,weight\n2024-10-27 02:00,a,b,1\n2024-10-27 03:00,b,c,1\n",
			nodes: "time,node,cases,beds\n2024-10-27 02:00,a,1,1\n2024-10-27 02:00,a,2,1\n",
			want:  want{"nodes.csv", 3, 0, "", "if a clock went back then, write times with their offsets"}},
		"whole numbers that a float64 rounds": {edges: "time,source,destination,weight\n9007199254740993,a,b,1\n",
			want: want{"edges.csv", 2, 0, "time", "2^53"}},
		"missing target":   {nodes: swap(goodNodes, "cases", "deaths"), want: want{"nodes.csv", 1, 0, "cases", "columns"}},
		"duplicate column": {edges: swap(goodEdges, "weight", "time"), want: want{"edges.csv", 1, 0, "time", "two columns"}},
		"bars": {edges: strings.ReplaceAll(goodEdges, ",", "|"),
			want: want{"edges.csv", 1, 0, "source", `separated by ',', or Config.Separator "|"`}},
		"tabs": {edges: strings.ReplaceAll(goodEdges, ",", "\t"),
			want: want{"edges.csv", 1, 0, "source", `Config.Separator "tab"`}},
		"semicolons and a comma": {edges: swap(strings.ReplaceAll(goodEdges, ",", ";"), "weight", "weight;a, b"),
			want: want{"edges.csv", 1, 0, "source", `Config.Separator ";"`}},
		"thousands": {edges: swap(strings.ReplaceAll(goodEdges, ",", ";"), "b;1", "b;1.234,5"),
			want: want{"edges.csv", 2, 0, "weight", `found "1.234,5", which has more than one point or comma`}},
		"decimals or thousands": {edges: swap(strings.ReplaceAll(goodEdges, ",", ";"), "b;1", "b;1,234"),
			want: want{"edges.csv", 2, 0, "weight", `Config.Decimal "," or "." decides`}},
		"thousands after decimals": {
			edges: strings.NewReplacer(",", ";", "b,1", "b;1,5", "a,2", "a;2.000").Replace(goodEdges),
			want:  want{"edges.csv", 3, 0, "weight", `found "2.000", but ',' is the decimal sign in line 2`}},
		"a point where commas are asked for": {edges: swap(goodEdges, "b,1", "b,1.5"),
			change: func(c *table.Config) { c.Decimal = "," },
			want:   want{"edges.csv", 2, 0, "weight", `Config.Decimal "." reads decimal points`}},
		"two columns of times": {edges: swap(goodEdges, "weight", "Date"),
			want: want{"edges.csv", 1, 0, "", `found the columns "time", "Date", want one of them as Edges.Time`}},
		"two columns of nodes": {nodes: swap(goodNodes, "node", "region,station"),
			want: want{"nodes.csv", 1, 0, "", `"region", "station", want one of them as Nodes.Node`}},
		"no column of nodes": {nodes: swap(goodNodes, "node", "shire"),
			want: want{"nodes.csv", 1, 0, "node", `want a column "node", "id", "region" or "station", or the name of another ` +
				"as Nodes.Node"}},
		"a column misspelt": {change: func(c *table.Config) { c.Nodes.Targets = []string{"case"} },
			want: want{"nodes.csv", 1, 0, "case", `want a column with this name, or another Nodes.Targets such as "cases"`}},
		"weights are missing": {edges: swap(swap(goodEdges, "a,2", "a, "), "c,3", "c,NA"),
			want: want{"edges.csv", 3, 0, "weight", "found no value, in this and all together 2 of 3 rows, want numbers, or " +
				`Edges.EmptyWeight "drop" or "zero" (no edge, or weight 0)`}},
		"all weights are missing": {edges: "time,source,destination,weight\n2020-03-01,a,b,\n",
			change: func(c *table.Config) { c.Edges.EmptyWeight = table.Drop },
			want:   want{"edges.csv", 0, 0, "weight", "no weight in any row, so that none is left"}},
		"a date that is one of two": {edges: swap(goodEdges, "2020-03-01", "03/04/2020"),
			want: want{"edges.csv", 2, 0, "time", `which may be 2020-03-04 or 2020-04-03, want Config.DateFormat "MM/DD/YYYY" ` +
				`or "DD/MM/YYYY" to say which`}},
		"a date that is the same twice": {edges: swap(goodEdges, "2020-03-01", "01/01/2020"),
			want: want{"edges.csv", 2, 0, "time", `found "01/01/2020", want Config.DateFormat "MM/DD/YYYY" or ` +
				`"DD/MM/YYYY" to say which comes first`}},
		"a date that is the same twice, then one of two": {edges: strings.NewReplacer("2020-03-01", "01/01/2020",
			"2020-03-02", "01/02/2020").Replace(goodEdges),
			want: want{"edges.csv", 3, 0, "time", `found "01/02/2020", which may be 2020-01-02 or 2020-02-01`}},
		"a date that is the same twice, then one that tells": {nodes: strings.NewReplacer("2020-03-01", "01/01/2020",
			"2020-03-02", "01/31/2020").Replace(goodNodes),
			want: want{"nodes.csv", 5, 0, "time", `found "01/31/2020", want Config.DateFormat "MM/DD/YYYY" to read such dates`}},
		"a date with its month first": {edges: swap(goodEdges, "2020-03-01", "3/31/2020 4:05 PM"),
			want: want{"edges.csv", 2, 0, "time", `Config.DateFormat "MM/DD/YYYY hh:mm AM"`}},
		"a date in another format": {edges: swap(goodEdges, "2020-03-01", "31/03/2020"),
			change: func(c *table.Config) { c.DateFormat = "MM/DD/YYYY" },
			want:   want{"edges.csv", 2, 0, "time", `a date as in Config.DateFormat "MM/DD/YYYY", or`}},
		"short row": {edges: swap(goodEdges, "a,b,1", "a,b"), want: want{"edges.csv", 2, 0, "", "found 3 cells, want 4"}},
		"long row":  {nodes: swap(goodNodes, "b,5,9", "b,5,9,9"), want: want{"nodes.csv", 6, 0, "", "found 5 cells, want 4"}},
		"unclosed quote": {edges: swap(goodEdges, "b,a,2", `"b,a,2`),
			want: want{"edges.csv", 3, 0, "", "quote that is not closed"}},
		"quote within a cell": {edges: swap(goodEdges, "b,a,2", `b"x",a,2`),
			want: want{"edges.csv", 3, 0, "", "quote within a cell"}},
		"row without end": {edges: goodEdges + `2020-03-02,"` + strings.Repeat("x", 17<<20),
			want: want{"edges.csv", 5, 0, "", "a quote may not be closed"}},
		"weight is no number": {edges: swap(goodEdges, "a,2", "a,two"),
			want: want{"edges.csv", 3, 0, "weight", `found "two", want a number`}},
		"decimal comma": {edges: swap(goodEdges, "b,a,2", `b,a,"2,5"`),
			want: want{"edges.csv", 3, 0, "weight", `found "2,5", want a number`}},
		"weight is missing":  {edges: swap(goodEdges, "a,2", "a,"), want: want{"edges.csv", 3, 0, "weight", "no value"}},
		"weight is NaN":      {edges: swap(goodEdges, "a,2", "a,NaN"), want: want{"edges.csv", 3, 0, "weight", "NaN"}},
		"weight is infinite": {edges: swap(goodEdges, "a,2", "a,Inf"), want: want{"edges.csv", 3, 0, "weight", "Inf"}},
		"weight overflows":   {edges: swap(goodEdges, "a,2", "a,1e999"), want: want{"edges.csv", 3, 0, "weight", "1e999"}},
		"sum overflows": {edges: goodEdges + strings.Repeat("2020-03-02,b,a,1e308\n", 2),
			want: want{"edges.csv", 6, 0, "weight", "sum is too large"}},
		"negative weight": {edges: swap(goodEdges, "c,3", "c,-3"),
			want: want{"edges.csv", 4, 0, "weight", `found "-3", want no negative weight`}},
		"negative target of a logarithm": {nodes: swap(goodNodes, "b,2,6", "b,-2,6"),
			change: func(c *table.Config) { c.Scale = table.Log1p },
			want:   want{"nodes.csv", 3, 0, "cases", `found "-2", want 0 or more, as Config.Scale "log1p" takes`}},
		"target is no number": {nodes: swap(goodNodes, "b,2,6", "b,many,6"),
			want: want{"nodes.csv", 3, 0, "cases", `found "many", want a finite number`}},
		"feature is infinite": {nodes: swap(goodNodes, "b,2,6", "b,2,-inf"), want: want{"nodes.csv", 3, 0, "beds", "-inf"}},
		"target without any value": {nodes: "time,node,cases,beds\n2020-03-01,a,NA,1\n2020-03-02,a,,2\n",
			want: want{"nodes.csv", 0, 0, "cases", "no value in any row"}},
		"target without any value to train on": {
			nodes:  "time,node,cases,beds,deaths\n2020-03-01,a,1,1,\n2020-03-02,a,2,2,3\n",
			change: func(c *table.Config) { c.Nodes.Targets = append(c.Nodes.Targets, "deaths") },
			want:   want{"nodes.csv", 0, 0, "deaths", "no value in the first 60 % of times"}},
		"feature without any value to train on": {nodes: "time,node,cases,beds\n2020-03-01,a,1,\n2020-03-02,a,2,2\n",
			want: want{"nodes.csv", 0, 0, "beds", "no value in the first 60 % of times"}},
		"no node in common": {nodes: strings.NewReplacer(",a,", ",A,", ",b,", ",B,", ",c,", ",C,").Replace(goodNodes),
			want: want{"nodes.csv", 0, 0, "node", `found node "A", and none that `}},
		"one node, two numbers": {edges: strings.NewReplacer(",a", ",1.0", ",b", ",2.0", ",c", ",3.0").Replace(goodEdges),
			nodes: strings.NewReplacer(",a,", ",1,", ",b,", ",2,", ",c,", ",3,").Replace(goodNodes),
			want:  want{text: `nodes "1" and "1.0", want one of them`}},
		"target without a deviation": {nodes: strings.NewReplacer("a,1", "a,-1e308", "a,4", "a,1e308").Replace(goodNodes),
			change: func(c *table.Config) { c.TrainFraction = 1 }, want: want{"nodes.csv", 0, 0, "cases", "too large"}},
		"feature without a mean": {nodes: strings.NewReplacer(",5\n", ",1e308\n", ",6\n", ",1e308\n").Replace(goodNodes),
			want: want{"nodes.csv", 0, 0, "beds", "too large"}},
		"no such date": {edges: swap(goodEdges, "2020-03-02", "2020-02-30"),
			want: want{"edges.csv", 3, 0, "time", `found "2020-02-30", want a number or a date`}},
		"date in another order": {edges: swap(goodEdges, "2020-03-02", "02/03/2020"),
			want: want{"edges.csv", 3, 0, "time", `found "02/03/2020"`}},
		"time is missing":  {edges: swap(goodEdges, "2020-03-02", ""), want: want{"edges.csv", 3, 0, "time", "no value"}},
		"time is infinite": {edges: swap(goodEdges, "2020-03-01", "inf"), want: want{"edges.csv", 2, 0, "time", "inf"}},
		"number among dates": {edges: swap(goodEdges, "2020-03-02", "17"),
			want: want{"edges.csv", 3, 0, "time", "edges.csv, line 2"}},
		"numbers in one file, dates in the other": {
			nodes: strings.NewReplacer("2020-03-01", "1", "2020-03-02", "2").Replace(goodNodes),
			want:  want{"nodes.csv", 2, 0, "time", "edges.csv, line 2"}},
		"empty file": {change: func(c *table.Config) {
			if err := os.Truncate(c.Nodes.Path, 0); err != nil {
				t.Error(err)
			}
		}, want: want{"nodes.csv", 0, 0, "", `an empty file, want the columns "time", "node", "cases", "beds"`}},
		"NUL byte in the first line": {edges: "time\x00" + goodEdges[4:], want: want{"edges.csv", 1, 0, "", "NUL"}},
		"no text":                    {nodes: "\n\n", want: want{"nodes.csv", 1, 0, "", "no text"}},
		"header only": {nodes: "time,node,cases,beds\n",
			want: want{"nodes.csv", 0, 0, "", "a header without rows"}},
		"second row of a node and a time": {nodes: goodNodes + "2020-03-01,b,2,6\n",
			want: want{"nodes.csv", 8, 0, "", `second row for node "b" at time "2020-03-01"`}},
		"second row of an edge": {edges: goodEdges + "2020-03-02,b,a,2\n",
			change: func(c *table.Config) { c.Edges.Aggregate = table.Unique },
			want:   want{"edges.csv", 5, 0, "", `second edge from "b" to "a"`}},
		"time without edges": {nodes: goodNodes + "2020-03-03,a,1,1\n",
			want: want{"nodes.csv", 8, 0, "time", "the time 2020-03-03, for which"}},
		"no graph to hold": {nodes: goodNodes + "2020-02-28,a,1,1\n",
			change: func(c *table.Config) { c.WithoutEdges = table.Hold },
			want:   want{"nodes.csv", 8, 0, "time", "no graph before it"}},
		"step without edges": {edges: goodEdges + "2020-03-09,a,b,1\n", change: step(table.Step{Duration: 24 * time.Hour}),
			want: want{"edges.csv", 0, 0, "time", "no row for the step of 1d from 2020-03-03 on"}},
		"step that is a number": {change: step(table.Step{Number: 1}),
			want: want{"edges.csv", 2, 0, "time", `the date "2020-03-01", want numbers for the step 1`}},
		"step that is a duration": {edges: "time,source,destination,weight\n1,a,b,1\n",
			change: step(table.Step{Duration: time.Hour}), want: want{"edges.csv", 2, 0, "time", "dates for the step 1h"}},
		"too many snapshots": {change: step(table.Step{Duration: time.Microsecond}),
			want: want{text: "86400000001 snapshots of 1µs from 2020-03-01 to 2020-03-02, want at most 1048576"}},
		"too many values": {change: func(c *table.Config) { c.MaxValues = 2 },
			want: want{"edges.csv", 3, 0, "", "more than 2 values in 2 snapshots"}},
		"fewer snapshots than lags": {change: func(c *table.Config) { c.Lags = 3 },
			want: want{text: "2 snapshots for 3 lags"}},
		"a weight with a separator": {edges: swap(goodEdges, "a,b,1", "a,b,1_000"),
			want: want{"edges.csv", 2, 0, "weight", `"1_000", which is not in decimal digits without separators, want a`}},
		"a weight in hexadecimal": {edges: swap(goodEdges, "a,b,1", "a,b,0x1p3"),
			want: want{"edges.csv", 2, 0, "weight", `"0x1p3", which is not in decimal digits`}},
		"a weight that is nearly 0": {edges: swap(goodEdges, "a,b,1", "a,b,1e-400"),
			want: want{"edges.csv", 2, 0, "weight", `"1e-400", which is too close to 0 for a float64`}},
		"a time in hexadecimal": {edges: "time,source,destination,weight\n0x1p4,a,b,1\n",
			want: want{"edges.csv", 2, 0, "time", `"0x1p4", which is not in decimal digits`}},
		"a value that is nearly 0": {nodes: swap(goodNodes, "b,5", "b,-0.00003e-320"),
			want: want{"nodes.csv", 6, 0, "cases", `too close to 0`}},
		"more bytes than allowed": {change: func(c *table.Config) { c.MaxBytes = int64(len(goodEdges)) - 1 },
			want: want{"edges.csv", 4, 0, "", "bytes of content, want no more, unless table.Config.MaxBytes or the"}},
		"more packed bytes than allowed": {edges: gzipped(t, goodEdges), edgesName: "edges.csv.gz",
			change: func(c *table.Config) { c.MaxBytes = int64(len(goodEdges)) - 1 },
			want:   want{"edges.csv.gz", 4, 0, "", "bytes of content, want no more"}},
		"node without a name": {edges: swap(goodEdges, "a,b,1", ",b,1"),
			want: want{"edges.csv", 2, 0, "source", "no value"}},
		"NUL byte": {edges: swap(goodEdges, "a,b,1", "a\x00,b,1"),
			want: want{"edges.csv", 2, 0, "source", `found "a\x00", want the name`}},
		"text that is not UTF-8": {nodes: swap(goodNodes, "b,5", "K\xf6ln,5"),
			want: want{"nodes.csv", 6, 0, "node", `found "K\xf6ln"`}},
		"lines that end in CR alone": {edges: strings.ReplaceAll(goodEdges, "\n", "\r"),
			want: want{"edges.csv", 1, 0, "", "found text whose lines end in CR alone: save it with LF or CR LF"}},
		"text in UTF-16": {edges: "\xff\xfet\x00i\x00", want: want{"edges.csv", 1, 0, "", "UTF-16"}},
		"compressed without the ending": {edges: gzipped(t, goodEdges),
			want: want{"edges.csv", 1, 0, "", "compressed by gzip"}},
		"Parquet without the ending": {edges: goodParquet, want: want{"edges.csv", 1, 0, "", "a Parquet file"}},
		"a spreadsheet":              {edges: "PK\x03\x04xl/workbook", want: want{"edges.csv", 1, 0, "", "a spreadsheet"}},
		"gzip that ends early": {edges: gzipped(t, goodEdges)[:60], edgesName: "edges.csv.gz",
			want: want{"edges.csv.gz", 2, 0, "", "damaged or end early"}},
		"no gzip": {edges: goodEdges, edgesName: "edges.csv.gz",
			want: want{"edges.csv.gz", 0, 0, "", "damaged or end early"}},
		"Zstandard that ends early": {edges: zstandard(t, goodEdges)[:40], edgesName: "edges.csv.zst",
			want: want{"edges.csv.zst", 1, 0, "", "damaged or end early"}},
		"Parquet that ends early": {edges: goodParquet[:len(goodParquet)/2], edgesName: "edges.parquet",
			want: want{"edges.parquet", 0, 0, "", "damaged, end early or are no Parquet"}},
		"Parquet with a damaged page": {edges: goodParquet[:4] + strings.Repeat("\xff", 40) + goodParquet[44:],
			edgesName: "edges.parquet", want: want{"edges.parquet", 0, 1, "", "damaged"}},
		"Parquet of another type": {edgesName: "edges.parquet", edges: encoded(t, struct {
			Time, Source, Destination string
			Weight                    bool
		}{"1", "a", "b", true}), change: func(c *table.Config) {
			c.Edges = table.Edges{Path: c.Edges.Path, Time: "Time", From: "Source", To: "Destination", Weight: "Weight"}
		}, want: want{"edges.parquet", 0, 0, "Weight", "found the type BOOLEAN, want one value a row: a number (a float16 " +
			"as float32, a BOOLEAN as an integer)"}},
		"Parquet with lists": {edgesName: "edges.parquet", edges: encoded(t, struct {
			Time, Source, Destination string
			Weight                    []float64
		}{"1", "a", "b", []float64{1}}), change: func(c *table.Config) {
			c.Edges = table.Edges{Path: c.Edges.Path, Time: "Time", From: "Source", To: "Destination", Weight: "Weight"}
		}, want: want{"edges.parquet", 0, 0, "Weight", "repeated"}},
		"Parquet without a column": {edgesName: "edges.parquet", edges: goodParquet,
			change: func(c *table.Config) { c.Edges.Weight = "people" }, want: want{"edges.parquet", 0, 0, "people", "columns"}},
		"Parquet with a bad value": {edgesName: "edges.parquet",
			edges: encoded(t, parquetEdge{day(1), "a", "b", 1}, parquetEdge{day(2), "b", "c", -2}),
			want:  want{"edges.parquet", 0, 2, "weight", "found -2, want no negative weight"}},
		"Parquet without rows": {edgesName: "edges.parquet", edges: encoded[parquetEdge](t),
			want: want{"edges.parquet", 0, 0, "", "without rows"}},
		"name without a format": {edgesName: "edges.txt", want: want{"edges.txt", 0, 0, "", "does not say the format"}},
		"a directory": {change: func(c *table.Config) {
			c.Edges.Path = filepath.Join(filepath.Dir(c.Edges.Path), "folder.csv")
			if err := os.Mkdir(c.Edges.Path, 0o700); err != nil {
				t.Error(err)
			}
		}, want: want{"folder.csv", 0, 0, "", "a directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			edges, nodes := c.edges, c.nodes
			if edges == "" {
				edges = goodEdges
			}
			if nodes == "" {
				nodes = goodNodes
			}
			if c.edgesName == "" {
				c.edgesName = "edges.csv"
			}
			config, notices := small(write(t, c.edgesName, edges), write(t, "nodes.csv", nodes))
			if c.change != nil {
				c.change(&config)
			}
			data, err := table.Read(context.Background(), config)
			if err == nil || data != nil {
				t.Fatalf("read without an error; notices %s", notices)
			}
			if !errors.Is(err, dyngraph.ErrInvalid) {
				t.Errorf("%v does not wrap ErrInvalid", err)
			}
			var at *table.Error
			if c.want.file == "" {
				if errors.As(err, &at) {
					t.Errorf("%#v, want an error about no single row", at)
				}
			} else if !errors.As(err, &at) {
				t.Fatalf("%v is no *Error", err)
			} else if got := (want{filepath.Base(at.Path), at.Line, at.Row, at.Column, c.want.text}); got != c.want {
				t.Errorf("%+v, want %+v: %v", got, c.want, err)
			}
			if text := err.Error(); !strings.Contains(text, c.want.text) || !strings.HasPrefix(text, "datasets/table: ") {
				t.Errorf("%q, want %q in it", text, c.want.text)
			}
		})
	}
}

func TestMissingFile(t *testing.T) {
	c, _ := small(filepath.Join(t.TempDir(), "none.csv"), "")
	c.Nodes = table.Nodes{}
	_, err := table.Read(context.Background(), c)
	var at *table.Error
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &at) || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}
