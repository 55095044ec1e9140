package forecast

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

var writeKept = flag.Bool("write-kept", false, "write the files of testdata/kept that are not there yet")

// Model files that earlier versions of pengcde fit wrote read new files and forecast as before: one of the second day
// alone, and one of two days with logarithms and weekdays. The files were written once and are never rewritten.
func TestKeptModelFile(t *testing.T) {
	t.Run("kept", func(t *testing.T) { keptFile(t, "kept", table.Config{First: 2, Horizon: 2}) })
	t.Run("steps", func(t *testing.T) {
		keptFile(t, "kept-steps", table.Config{Horizon: 2, Scale: table.Log1p, Calendar: []table.CalendarPart{table.Weekday}})
	})
}

func keptFile(t *testing.T, folder string, c table.Config) {
	file, ahead := filepath.Join("testdata", folder, ModelFile), filepath.Join("testdata", folder, "ahead.json")
	if _, err := os.Stat(file); *writeKept && errors.Is(err, fs.ErrNotExist) {
		c.Edges.Path, c.Nodes.Path = travel(t, 40)
		c.Lags, c.Nodes.Targets, c.Notices = 3, []string{"visitors"}, io.Discard
		data, err := table.Read(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		r := fit(t, data, small)
		if err := r.Save(file); err != nil {
			t.Fatal(err)
		}
		content, err := json.MarshalIndent(aheadOf(t, file), "", " ")
		if err == nil {
			err = os.WriteFile(ahead, append(content, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var want []Forecast
	content, err := os.ReadFile(ahead)
	if err == nil {
		err = json.Unmarshal(content, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := aheadOf(t, file)
	if len(got) != len(want) || len(want) != 2 {
		t.Fatalf("%d forecasts, want %d", len(got), len(want))
	}
	for i, f := range got {
		w := want[i]
		if f.From != w.From || f.Time != w.Time || f.Ahead != w.Ahead || len(f.Values) != len(w.Values) {
			t.Errorf("forecast %d is of %s, %s, %d, want %+v", i, f.From, f.Time, f.Ahead, w)
			continue
		}
		for u := range f.Values {
			if !(math.Abs(f.Values[u]-w.Values[u]) <= 1e-4*math.Abs(w.Values[u])) { // it computes in float32
				t.Errorf("%s: %.9g for node %d, was %.9g when the file was written", f.Time, f.Values[u], u, w.Values[u])
			}
		}
	}
}

// aheadOf returns the forecasts of a stored model from files that its recipe reads.
func aheadOf(t *testing.T, file string) []Forecast {
	t.Helper()
	model, err := Load(xlatest.Go(t), file)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	edges, nodes := travel(t, 40)
	series, err := model.Recipe.Read(t.Context(), edges, nodes)
	if err != nil {
		t.Fatal(err)
	}
	all, err := model.Ahead(t.Context(), series)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
