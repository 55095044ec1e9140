package tgb_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

const (
	tradeEdges = "year,nation,trading nation,weight\n" +
		"1986,Chad,\"China, \"\"mainland\"\"\",0.25\n1986,Chad,Peru,0.75\n1986,Peru,Chad,1\n" +
		"1987,Chad,Peru,1\n1988,Peru,Chad,1\n1989,Peru,Chad,1\n"
	tradeLabels = "year,nation,trading nation,weight\n" +
		"1987,Chad,Peru,1\n1988,Peru,Chad,0.5\n1988,Peru,\"China, \"\"mainland\"\"\",0.5\n"
	redditEdges  = "ts,user,subreddit,num_words,score\n100,7,go,12,3\n200,8,7,4,-2\n200,7,go,1,0\n"
	redditLabels = "ts,user,subreddit,weight\n150,7,7,1\n"
	tokenEdges   = "timestamp,user_address,token_address,value,IsSender\n" +
		"1499000000,0xa,0xt1,1e20,1\n1499000000,0xb,0xt1,1e20,0\n1500000000,0xa,0xt2,0.5,1\n"
	tokenLabels = "ts,user_address,token_address,weight\n1499086400,0xa,0xt2,1\n"
)

func files(name, edges, labels string) fstest.MapFS {
	return fstest.MapFS{name + "_edgelist.csv": {Data: []byte(edges)}, name + "_node_labels.csv": {Data: []byte(labels)}}
}

func open(name, edges, labels string) (*tgb.Data, error) {
	c := tgb.Config{Name: name, Files: files(name, edges, labels)}
	if name != "tgbn-trade" {
		c.Classes = 3
	}
	return tgb.Open(context.Background(), c)
}

func gzipped(t testing.TB, content string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func events(t testing.TB, data *tgb.Data) (all []dyngraph.Event) {
	t.Helper()
	for event, err := range data.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, event)
	}
	return all
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, edges, labels string
		names               []string
		events              string
		labelled            affinity.Labels // the last
	}{
		{"tgbn-trade", tradeEdges, tradeLabels, []string{"Chad", `China, "mainland"`, "Peru"},
			"[{1986 0 1 0.25} {1986 0 2 0.75} {1986 2 0 1} {1987 0 2 1} {1988 2 0 1} {1989 2 0 1}]",
			affinity.Labels{Time: 1988, Affinities: dyngraph.Affinities{Nodes: []int32{2}, Start: []int{0, 2}, Classes: []int32{0, 1},
				Values: []float64{.5, .5}}}},
		{"tgbn-reddit", redditEdges, redditLabels,
			[]string{"go", "7", "subreddit 2, which does not occur", "7 (user)", "8"},
			"[{100 3 0 3} {200 4 1 -2} {200 3 0 0}]",
			affinity.Labels{Time: 150, Affinities: dyngraph.Affinities{Nodes: []int32{3}, Start: []int{0, 1}, Classes: []int32{1}, Values: []float64{1}}}},
		{"tgbn-token", tokenEdges, tokenLabels, []string{"0xt1", "0xt2", "token 2, which does not occur", "0xa", "0xb"},
			"[{1.499e+09 3 0 1e+20} {1.499e+09 4 0 1e+20} {1.5e+09 3 1 0.5}]",
			affinity.Labels{Time: 1499086400, Affinities: dyngraph.Affinities{Nodes: []int32{3}, Start: []int{0, 1}, Classes: []int32{1},
				Values: []float64{1}}}},
	} {
		data, err := open(c.name, c.edges, c.labels)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(data.NodeNames, c.names) {
			t.Errorf("%s: names %q", c.name, data.NodeNames)
		}
		for range 2 { // reading again begins anew
			if got := fmt.Sprint(events(t, data)); got != c.events {
				t.Errorf("%s: events %s", c.name, got)
			}
		}
		var last affinity.Labels
		for labels, err := range data.Labels(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			last = labels
		}
		if l := c.labelled; last.Time != l.Time || !slices.Equal(last.Nodes, l.Nodes) || !slices.Equal(last.Start, l.Start) ||
			!slices.Equal(last.Classes, l.Classes) || !slices.Equal(last.Values, l.Values) {
			t.Errorf("%s: labels %v", c.name, last)
		}
		if _, err := data.Series(context.Background()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A folder, the folder above it, compressed files, a zip, and a folder with a zip hold the same.
func TestPlaces(t *testing.T) {
	const edges, labels = "tgbn-trade_edgelist.csv", "tgbn-trade_node_labels.csv"
	folder := t.TempDir()
	put := func(name string, content []byte) {
		t.Helper()
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put("plain/"+edges, []byte("\ufeff"+strings.ReplaceAll(tradeEdges, "\n", "\r\n")))
	put("plain/"+labels, []byte(strings.TrimSuffix(tradeLabels, "\n")))
	put("above/tgbn_trade/"+edges, []byte(tradeEdges))
	put("above/tgbn_trade/"+labels, gzipped(t, tradeLabels))
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, content := range map[string]string{"tgbn_trade/" + edges: tradeEdges, "tgbn_trade/" + labels: tradeLabels} {
		w, err := z.Create(name)
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
	put("above/tgbn_trade/tgbn-trade.zip", packed.Bytes()) // py-tgb and tgm keep the archive, and a cache
	put("above/tgbn_trade/ml_tgbn-trade.pkl", []byte{0x80})
	put("zipped/tgbn-trade.zip", packed.Bytes())
	put("cut/tgbn-trade.zip", packed.Bytes()[:packed.Len()/2])
	put("empty/readme.txt", nil)

	var want []dyngraph.Event
	var sum string
	for _, path := range []string{"plain", "above", "zipped", "zipped/tgbn-trade.zip"} {
		progress := 0
		data, err := tgb.Open(context.Background(), tgb.Config{Name: "tgbn-trade", Path: filepath.Join(folder, path),
			Progress: func(p tgb.Progress) {
				if progress++; p.Read > p.Size || p.Size == 0 {
					t.Errorf("%s: progress %v", path, p)
				}
			}})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := events(t, data)
		if want == nil {
			want = got
		} else if sum == "" {
			sum = data.EdgeFile.SHA256
		}
		if !slices.Equal(got, want) || progress < 4 || sum != "" && data.EdgeFile.SHA256 != sum {
			t.Errorf("%s: %d events, %d reports of progress, sha256 %s", path, len(got), progress, data.EdgeFile.SHA256)
		}
	}
	for path, says := range map[string]string{
		"cut": "cut short", "cut/tgbn-trade.zip": "cut short", "empty": "/tgb/tgbn-trade.zip",
		"plain/" + edges: "want the folder with the files of tgbn-trade, or tgbn-trade.zip", "nowhere": "no such file",
	} {
		_, err := tgb.Open(context.Background(), tgb.Config{Name: "tgbn-trade", Path: filepath.Join(folder, path)})
		var fault *tgb.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "tgbn-trade") {
			t.Errorf("%s: error %v, want one that says %q", path, err, says)
		}
		if missing := path == "empty" || path == "nowhere"; missing != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v is fs.ErrNotExist: %v", path, err, !missing)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	all := files("own", tradeEdges, tradeLabels)
	for _, c := range []struct {
		name   string
		config tgb.Config
		says   string
	}{
		{"unknown name", tgb.Config{Name: "tgbn-trad"}, "did you mean tgbn-trade?"},
		{"own name without a format", tgb.Config{Name: "own", Files: all}, "Config.Format"},
		{"classes of trade", tgb.Config{Name: "own", Format: "tgbn-trade", Classes: 5, Files: all}, "5 classes"},
		{"no path", tgb.Config{Name: "tgbn-genre"}, "no Config.Path, want the folder with the files of tgbn-genre"},
		{"negative classes", tgb.Config{Name: "tgbn-genre", Classes: -1}, "-1 classes"},
	} {
		if _, err := tgb.Open(context.Background(), c.config); !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want dyngraph.ErrInvalid that says %q", c.name, err, c.says)
		}
	}
	data, err := tgb.Open(context.Background(), tgb.Config{Name: "own", Format: "tgbn-trade", Files: all})
	if err != nil || data.EventCount() != 6 {
		t.Errorf("files of another name: %v", err)
	}
	if _, err := tgb.Open(context.Background(), tgb.Config{Name: "agtpa-trade", Files: files("agtpa-trade", tradeEdges,
		tradeLabels)}); err == nil || !strings.Contains(err.Error(), "want 4f7e48499cf7df") {
		t.Errorf("altered content: %v, want an error with the known sha256", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	data := agtpa(t)
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := affinity.Evaluate(ctx, plan, &affinity.PersistentForecast{}); !errors.Is(err, context.Canceled) {
		t.Errorf("scoring: %v, want context.Canceled", err)
	}
	if _, err := tgb.AgtpaTrade(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v, want context.Canceled", err)
	}
}

// Events that are late by an hour, as where summer time begins.
func TestLate(t *testing.T) {
	edges := strings.Replace(redditEdges, "200,7,go", "190,7,go", 1) + "190,7,go,1,0\n201,7,go,1,0\n"
	c := tgb.Config{Name: "tgbn-reddit", Classes: 3, Files: files("tgbn-reddit", edges, redditLabels), Late: 10}
	data, err := tgb.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(events(t, data)); data.EdgeFile.Late != 2 || data.EventCount() != 5 ||
		got != "[{100 3 0 3} {200 4 1 -2} {200 3 0 0} {200 3 0 0} {201 3 0 0}]" {
		t.Errorf("%d late events: %s", data.EdgeFile.Late, got)
	}
	c.Late = 9
	_, err = tgb.Open(context.Background(), c)
	wantFault(t, "too late", err, 4, "found the time 190 after 200, want rows in order of time: sort the file (Config.Late")
	for _, c.Late = range []float64{-1, math.NaN()} {
		if _, err := tgb.Open(context.Background(), c); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("late by %g: %v", c.Late, err)
		}
	}
}

// Exported events read back as the same events.
func TestExport(t *testing.T) {
	data, err := open("tgbn-trade", tradeEdges, tradeLabels)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := data.Events(context.Background()).WriteCSV(&text, data.NodeNames); err != nil {
		t.Fatal(err)
	}
	again, err := open("tgbn-trade", text.String(), tradeLabels)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(events(t, data), events(t, again)) || !slices.Equal(data.NodeNames, again.NodeNames) {
		t.Errorf("other events: %s", text.String())
	}
}

// Files in a folder: here small ones in the format of tgbn-trade.
func ExampleOpen() {
	ctx := context.Background()
	data, err := tgb.Open(ctx, tgb.Config{Name: "tgbn-trade", Path: "../../internal/fixture/testdata/tgb"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.EdgeFile.Rows, "events, sha256", data.EdgeFile.SHA256[:8], data.Split())
	for snapshot, err := range data.Events(ctx).Snapshots(5) { // of five years
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(snapshot.Time, len(snapshot.From), "edges, the first to", data.NodeNames[snapshot.To[0]])
	}
	// Output:
	// 3355 events, sha256 83b94ee3 {2394 580 381}
	// 1986 220 edges, the first to Nation 4
	// 1991 221 edges, the first to Nation 4
	// 1996 220 edges, the first to Nation 4
	// 2001 221 edges, the first to Nation 4
}
