package forecast

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
)

const towns = "Ayr Bath Cork Deal Ely"

// travel writes two tables of towns whose visitors move on to the next town a day later; the first days of Ely are
// missing.
func travel(t *testing.T, days int) (edges, nodes string) {
	t.Helper()
	var flows, visits bytes.Buffer
	fmt.Fprintln(&flows, "time,source,destination,weight")
	fmt.Fprintln(&visits, "time,node,visitors")
	names, rng := strings.Fields(towns), rand.New(rand.NewPCG(1, 2))
	at := make([]float64, len(names))
	for u := range at {
		at[u] = 100 * float64(u+1)
	}
	for day := range days {
		date := time.Date(2024, 2, 20+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		next := slices.Clone(at)
		for u, name := range names {
			to := (u + 1) % len(names)
			moved := 0.3 * at[u] * rng.Float64()
			next[u], next[to] = next[u]-moved, next[to]+moved
			fmt.Fprintf(&flows, "%s,%s,%s,%.3f\n", date, name, names[to], moved)
			if u < len(names)-1 || day > 2 {
				fmt.Fprintf(&visits, "%s,%s,%.3f\n", date, name, at[u])
			}
		}
		at = next
	}
	folder := t.TempDir()
	edges, nodes = filepath.Join(folder, "flows.csv"), filepath.Join(folder, "visits.csv")
	for path, content := range map[string][]byte{edges: flows.Bytes(), nodes: visits.Bytes()} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return edges, nodes
}

func read(t *testing.T, days, horizon int) *table.Data {
	t.Helper()
	edges, nodes := travel(t, days)
	data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges}, Horizon: horizon, Lags: 3,
		Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors"}}, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var small = Config{Inputs: 3, Hidden: 2, Epochs: 4, Seed: 1}

func fit(t *testing.T, data *table.Data, c Config) *Result {
	t.Helper()
	r, err := Fit(t.Context(), xlatest.Go(t), data, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func rows(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFitWritesWhatALoadedModelForecasts(t *testing.T) {
	data, folder := read(t, 40, 2), filepath.Join(t.TempDir(), "new", "out")
	r := fit(t, data, small)
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	written := rows(t, filepath.Join(folder, ForecastsFile))
	if want := 1 + 2*5; len(written) != want || len(written[0]) != 5+4+7 {
		t.Fatalf("%d rows of %d columns, want %d of 15: %v", len(written), len(written[0]), want, written[0])
	}
	// The last day is 30 March.
	if got := fmt.Sprint(written[1][:4], written[6][:4]); got !=
		"[Ayr 2024-03-30 1 2024-03-31] [Ayr 2024-03-30 2 2024-04-01]" {
		t.Errorf("rows begin %s", got)
	}
	model, err := Load(xlatest.Go(t), filepath.Join(folder, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	ahead, err := model.Ahead(t.Context(), data.Series)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range written[1:] {
		value, err := strconv.ParseFloat(row[4], 64)
		forecast := ahead[i/5].Values[i%5]
		if err != nil || !(math.Abs(value-forecast) <= 1e-4*math.Abs(forecast)) || value < 20 || value > 900 {
			t.Errorf("%s: written %s, forecast %g, want some hundred visitors; %v", row[0], row[4], forecast, err)
		}
		intervals := ahead[i/5].Intervals
		for k, end := range []float64{intervals[0].Lower[i%5], intervals[0].Upper[i%5], intervals[1].Lower[i%5],
			intervals[1].Upper[i%5]} {
			if exact(end) != row[5+k] {
				t.Errorf("%s: written %s, want %g", row[0], row[5+k], end)
			}
		}
		if !(intervals[1].Lower[i%5] <= intervals[0].Lower[i%5] && intervals[0].Lower[i%5] < forecast &&
			forecast < intervals[0].Upper[i%5] && intervals[0].Upper[i%5] <= intervals[1].Upper[i%5]) {
			t.Errorf("%s: forecast %g with %v", row[0], forecast, intervals)
		}
	}
	plain, err := pengcde.Load(xlatest.Go(t), filepath.Join(folder, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	plain.Close()
	if errors := rows(t, filepath.Join(folder, ErrorsFile)); len(errors) != 1+8*6*3 {
		// of all nodes and of each, for both days and for each
		t.Errorf("%d rows of errors", len(errors))
	}
	page, err := os.ReadFile(filepath.Join(folder, PageFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range regexp.MustCompile(`(?:https?:)?//[a-z0-9.]+`).FindAllString(string(page), -1) {
		if address != "http://www.w3.org" { // names of SVG, never fetched
			t.Errorf("page refers to %s", address)
		}
	}
	for _, text := range []string{"Ayr", "not known yet", "2024-04-01", "ridge", "mean squared error",
		"mean over 1 to 2 snapshots ahead", "Errors by time ahead"} {
		if !strings.Contains(string(page), text) {
			t.Errorf("page has no %q", text)
		}
	}
}

// A training is written without the simple forecasts that cannot be fitted to all windows, here for values of 10^10.
func TestWrittenWithoutSimpleForecastsThatFail(t *testing.T) {
	edges, nodes := travel(t, 40)
	content, err := os.ReadFile(nodes)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(2024-03-[23]\d,\w+,\d+)\.\d+`).ReplaceAllString(string(content), "${1}00000000")
	if err := os.WriteFile(nodes, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges}, Lags: 3,
		Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors"}}, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	c, told := small, ""
	c.Epochs, c.Notice = 1, func(text string) { told += text }
	r, folder := fit(t, data, c), t.TempDir()
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	written := rows(t, filepath.Join(folder, ForecastsFile))
	if slices.Contains(written[0], "ridge") || !slices.Contains(written[0], "last value") {
		t.Errorf("columns %q, want all but ridges", written[0])
	}
	if !strings.Contains(told, `no column of "ridge", `) || !strings.Contains(told, "--scale log1p") {
		t.Errorf("notices: %s", told)
	}
}

// A model of one time ahead alone forecasts the times before it from earlier snapshots, and a model of times from the
// second on forecasts the first one so.
func TestAheadOfLaterTimes(t *testing.T) {
	edges, nodes := travel(t, 40)
	for _, c := range []struct {
		first, horizon int
		want           string
	}{
		{2, 2, "[2024-03-29 2 2024-03-31] [2024-03-30 2 2024-04-01]"},
		{2, 3, "[2024-03-29 2 2024-03-31] [2024-03-30 2 2024-04-01] [2024-03-30 3 2024-04-02]"},
		{3, 3, "[2024-03-28 3 2024-03-31] [2024-03-29 3 2024-04-01] [2024-03-30 3 2024-04-02]"},
	} {
		data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges}, First: c.first,
			Horizon: c.horizon, Lags: 3, Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors"}},
			Notices: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		config := small
		config.Epochs = 1
		ahead, err := fit(t, data, config).Ahead(t.Context(), data.Series)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range ahead {
			got = append(got, fmt.Sprint([]any{f.From, f.Ahead, f.Time}))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("first %d of %d: %s, want %s", c.first, c.horizon, got, c.want)
		}
	}
}

// Forecasts of counts on a scale of logarithms are in the unit of the file, and like their intervals never negative.
func TestLog1pForecasts(t *testing.T) {
	edges, nodes := travel(t, 40)
	content, err := os.ReadFile(nodes)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(Ely|Deal),\d+\.\d+`).ReplaceAllString(string(content), "$1,0") // nobody visits them
	if err := os.WriteFile(nodes, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges}, Horizon: 2, Lags: 3,
		Scale: table.Log1p, Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors"}}, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	r, folder := fit(t, data, small), t.TempDir()
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	written := rows(t, filepath.Join(folder, ForecastsFile))
	for _, row := range written[1:] {
		for k, cell := range row[4:] {
			if v, err := strconv.ParseFloat(cell, 64); err != nil || v < 0 || k == 0 && row[0] == "Bath" && (v < 20 || v > 900) {
				t.Errorf("%s, %s: %s, %v", row[0], written[0][4+k], cell, err)
			}
		}
	}
	model, err := Load(xlatest.Go(t), filepath.Join(folder, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	series, err := model.Recipe.Read(t.Context(), edges, nodes)
	if err != nil {
		t.Fatal(err)
	}
	ahead, err := model.Ahead(t.Context(), series)
	if err != nil || exact(ahead[1].Values[1]) != written[7][4] || len(ahead[1].Intervals) != 2 {
		t.Errorf("%v, %v, want %s", ahead, err, written[7])
	}
	table, err := r.Table()
	if err != nil || !strings.Contains(strings.Join(table.Notes, " "), "of log(1 + value), in units of") {
		t.Errorf("%v, %v", table, err)
	}
	page, err := os.ReadFile(filepath.Join(folder, PageFile))
	if err != nil || !strings.Contains(string(page), "The mean squared error, which decides, is of that logarithm") {
		t.Errorf("the page does not tell of logarithms: %v", err)
	}
}

// One model forecasts several targets, each in its unit; their mean error decides.
func TestSeveralTargets(t *testing.T) {
	edges, nodes := travel(t, 40)
	content, err := os.ReadFile(nodes)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(content), "visitors", "visitors,beds", 1)
	text = regexp.MustCompile(`,(\d+)(\.\d+)\n`).ReplaceAllString(text, ",$1$2,$1.5e3\n") // a thousand beds for each
	if err := os.WriteFile(nodes, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := table.Config{Edges: table.Edges{Path: edges}, Horizon: 2, Lags: 3, Notices: io.Discard,
		Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors", "beds"}}}
	data, err := table.Read(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r, folder := fit(t, data, Config{Inputs: 3, Hidden: 2, Epochs: 4, Linear: true}), t.TempDir()
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	written := rows(t, filepath.Join(folder, ForecastsFile))
	if got := fmt.Sprint(written[0][:10], written[6][:5], written[20][:5]); len(written) != 1+2*2*5 || got !=
		"[node from ahead time target PENG-CDE + linear lower 80% upper 80% lower 95% upper 95%] "+
			"[Ayr 2024-03-30 1 2024-03-31 beds] [Ely 2024-03-30 2 2024-04-01 beds]" {
		t.Errorf("%d rows: %s", len(written), got)
	}
	model, err := Load(xlatest.Go(t), filepath.Join(folder, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	ahead, err := model.Ahead(t.Context(), data.Series)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range ahead {
		least, most := 20.0, 900.0
		if f.Target == "beds" {
			least, most = 1000*least, 1000*most
		}
		for u, v := range f.Values {
			if row := written[1+5*i+u]; v < least || v > most || exact(v) != row[5] || row[4] != f.Target ||
				exact(f.Intervals[1].Upper[u]) != row[9] {
				t.Errorf("%s of %s: %g, written %v", f.Target, r.Recipe.NodeNames[u], v, row)
			}
		}
	}
	// Last visible and recent mean forecast a target as they do alone.
	c.Nodes.Targets = c.Nodes.Targets[1:]
	alone, err := table.Read(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	one := fit(t, alone, Config{Inputs: 3, Hidden: 2, Epochs: 1})
	whole := 0.0
	for i, s := range r.Simple {
		scores, err := split(s, r.outputs)
		if err != nil {
			t.Fatal(err)
		}
		want, err := split(one.Simple[i], one.outputs)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 2 {
			got, err := absoluteError(scores[2*step+1], 0)
			if err != nil {
				t.Fatal(err)
			}
			if of, _ := absoluteError(want[step], 0); !strings.Contains(s.Name, "ridge") &&
				!(math.Abs(got-of) <= 1e-6*of) {
				t.Errorf("%s, step %d: absolute error %g, alone %g", s.Name, step, got, of)
			}
		}
		whole = 0
		for _, part := range scores {
			mean, _ := part.Mean()
			whole += mean / 4
		}
		if mean, _ := s.Mean(); !(math.Abs(whole-mean) <= 1e-9) {
			t.Errorf("%s: mean of parts %g, error %g", s.Name, whole, mean)
		}
	}
	if says := r.Verdict(); !strings.Contains(says, ", mean over 1 to 2 snapshots ahead and 2 targets, ") {
		t.Error(says)
	}
	if len(r.Coverage) != 2*2*2 || r.Coverage[2].Target != "beds" || r.Coverage[2].Ahead != 1 ||
		!(r.Coverage[2].Width > 300*r.Coverage[0].Width) {
		t.Errorf("coverage %+v", r.Coverage)
	}
	errors := rows(t, filepath.Join(folder, ErrorsFile))
	if want := "[forecast node ahead target windows mean squared error absolute error]"; fmt.Sprint(errors[0]) != want ||
		len(errors) != 1+8*6*5 {
		t.Errorf("%d rows of errors: %s", len(errors), errors[0])
	}
	if figure, err := r.Figure(r.Series, ahead, "Ely"); err != nil || !strings.Contains(figure.Alt(), "Ely: beds") {
		t.Errorf("figure of Ely: %v", err)
	}
}

// Days of the week, which a short past does not tell, lower the error of a series with a weekly course.
func TestCalendarIsSeen(t *testing.T) {
	var visits strings.Builder
	fmt.Fprintln(&visits, "time,node,visitors")
	for day := range 70 {
		date := time.Date(2024, 1, 1+day, 0, 0, 0, 0, time.UTC)
		for u, name := range []string{"Ayr", "Bath", "Cork"} {
			visitors := 100 * (u + 1)
			if weekday := date.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
				visitors *= 2
			}
			fmt.Fprintf(&visits, "%s,%s,%d\n", date.Format(time.DateOnly), name, visitors)
		}
	}
	folder := t.TempDir()
	edges, nodes := filepath.Join(folder, "edges.csv"), filepath.Join(folder, "nodes.csv")
	for path, content := range map[string]string{edges: "source,destination,weight\nAyr,Bath,1\nBath,Cork,1\n",
		nodes: visits.String()} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	errors := map[int]float64{}
	for _, calendar := range [][]table.CalendarPart{nil, {table.Weekday}} {
		data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges, Time: table.None}, Lags: 1,
			Calendar: calendar, Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors"}}, Notices: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		r := fit(t, data, Config{Inputs: 2, Hidden: 2, Epochs: 25})
		errors[len(calendar)], _ = r.Score.Mean()
	}
	if !(errors[1] < errors[0]/2) {
		t.Errorf("mean squared error %.3f with the day of the week, %.3f without", errors[1], errors[0])
	}
}

// Errors by time ahead are of the forecasts at that time alone, and their mean over times is the error that decides.
func TestErrorsByTimeAhead(t *testing.T) {
	r := fit(t, read(t, 40, 3), small)
	scores, err := split(r.Score, r.steps)
	if err != nil {
		t.Fatal(err)
	}
	mean, _ := r.Score.Mean()
	sum := 0.0
	for k, s := range scores {
		one, _ := s.Mean()
		sum += one / 3
		if ahead := aheadText(s.Windows[0].Series); ahead != strconv.Itoa(k+1) {
			t.Errorf("step %d is %s ahead", k, ahead)
		}
	}
	if !(math.Abs(sum-mean) <= 1e-9) {
		t.Errorf("errors by time have the mean %g, want %g", sum, mean)
	}
	table, err := r.StepTable()
	if err != nil || len(table.Rows) != 3 {
		t.Errorf("%v, %v", table, err)
	}
	if table, err := fit(t, read(t, 40, 1), small).StepTable(); table != nil || err != nil {
		t.Errorf("one time ahead has errors by time: %v, %v", table, err)
	}
	if says := r.Verdict(); !strings.Contains(says, "mean squared error, mean over 1 to 3 snapshots ahead, ") {
		t.Error(says)
	}
	if r.Coverage != nil && r.Coverage[len(r.Coverage)-1].Ahead > 3 {
		t.Errorf("coverage %+v", r.Coverage)
	}
}

// A training that is interrupted repeatedly ends with the same model as an undisturbed training.
func TestInterruptedFitGoesOn(t *testing.T) {
	data := read(t, 40, 1)
	want, err := fit(t, data, small).Ahead(t.Context(), data.Series)
	if err != nil {
		t.Fatal(err)
	}
	c := small
	c.Checkpoint = filepath.Join(t.TempDir(), "folder", "training")
	interrupted := 0
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		heard := 0
		c.Progress = func(_ float64, _ time.Duration, text string) {
			if strings.Contains(text, "epoch") {
				if heard++; heard == 2 {
					cancel()
				}
			}
		}
		r, err := Fit(ctx, xlatest.Go(t), data, c)
		cancel()
		if errors.Is(err, context.Canceled) {
			interrupted++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Ahead(t.Context(), data.Series)
		if err != nil || !slices.Equal(got[0].Values, want[0].Values) {
			t.Errorf("%v after %d interrupts, want %v; %v", got[0].Values, interrupted, want[0].Values, err)
		}
		r.Close()
		break
	}
	if interrupted < 2 || interrupted > 10 {
		t.Errorf("%d interrupts", interrupted)
	}
	files := func() []string {
		all, err := filepath.Glob(c.Checkpoint + "-*.safetensors")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := files()
	if len(first) == 0 {
		t.Fatal("no checkpoints")
	}
	var notices []string
	c.Progress, c.Seed, c.Notice = nil, 2, func(text string) { notices = append(notices, text) }
	if err := fit(t, data, c).RemoveCheckpoints(); err != nil {
		t.Fatal(err)
	}
	if len(notices) > 0 || !slices.Equal(files(), first) {
		t.Errorf("another seed: notices %q, checkpoints %q, want only %q", notices, files(), first)
	}
	for _, path := range first {
		if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.Seed = small.Seed
	fit(t, data, c)
	if !slices.ContainsFunc(notices, func(text string) bool { return strings.Contains(text, "starts over") }) {
		t.Errorf("damaged checkpoints: %q", notices)
	}
}

func TestFitInputErrors(t *testing.T) {
	edges, nodes := travel(t, 40)
	untargeted, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges},
		Nodes: table.Nodes{Path: nodes, Features: []string{"visitors"}}, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	same := read(t, 40, 1)
	for _, targets := range same.Series.Targets {
		for u := range targets {
			targets[u] = float64(u)
		}
	}
	for _, c := range []struct {
		name string
		data *table.Data
		Config
		says string
	}{
		{"constant", same, small, `"visitors" never changes at any node`},
		{"horizon", read(t, 40, 50), small, "no snapshot of 38 has a target that is known 50 later"},
		{"no data", nil, small, "no data"},
		{"one snapshot", read(t, 3, 1), small, "has 1 snapshot with all lags, want 2 at least, and far more to train: " +
			"read longer files, or take fewer lags (--lags)"},
		{"short", read(t, 7, 1), small, "3 lags and horizon 1: want three times the number that these take together"},
		{"model", read(t, 40, 1), Config{Model: "afine"}, `no model "afine", want one of auto, peng-cde, peng, affine, ` +
			"original, adjacency, pre-mult, gn-ode, constant, dcrnn; did you mean affine?"},
		{"linear", read(t, 40, 1), Config{Model: "dcrnn", Linear: true}, "want a differential equation"},
		{"no graph", read(t, 40, 1), Config{Model: "constant", Graph: true}, "sees no graph"},
		{"seeds", read(t, 40, 1), Config{Seeds: -1}, "-1 seeds"},
		{"negative", read(t, 40, 1), Config{Inputs: -1}, "-1 inputs"},
		{"inputs", read(t, 40, 1), Config{Inputs: 50}, "too few"},
		{"huge", read(t, 40, 1), Config{Hidden: -3}, "hidden -3"},
		{"no target", untargeted, small, "0 targets a node, want 1"},
	} {
		_, err := Fit(t.Context(), xlatest.Go(t), c.data, c.Config)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.says)
		}
	}
}

// If the time of a forecast is unknown, a message says so, and how to set it.
func TestUnevenTimesAreTold(t *testing.T) {
	data, c := read(t, 40, 1), small
	told := ""
	c.Notice = func(text string) { told += text }
	fit(t, data, c)
	if strings.Contains(told, "evenly") {
		t.Errorf("even days: %q", told)
	}
	for i := range data.Series.Times[20:] {
		data.Series.Times[20+i] += 0.5
	}
	data.Series.Dates = nil
	if fit(t, data, c); !strings.Contains(told, "--step 1d --without-edges hold") {
		t.Errorf("uneven times: %q", told)
	}
}

// A node without any value is forecast without an interval; a short series has intervals at all nodes.
func TestIntervalsOfUnobservedNodes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		targets [][]float64
		want    []int
	}{
		{[][]float64{{2, nan}, {nan, nan}, nil}, []int{1}},
		{[][]float64{{2, nan}, {nan, 3}}, nil},
		{[][]float64{nil, nil}, nil},
	} {
		series := &dyngraph.Series{Pattern: &dyngraph.Pattern{Nodes: 2}, Targets: c.targets}
		if got := unobserved(series); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.targets, got, c.want)
		}
	}
}

// Files and pages show how values differ, however large they are.
func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{1000000.12447: "1000000.12447", 1049712345.25: "1049712345.25", 0.1: "0.1",
		-2.5e-9: "-2.5e-09", 1e17: "1e+17", 1e14: "100000000000000", 0: "0"} {
		if got := exact(v); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := exact(math.NaN()); got != "" {
		t.Errorf("NaN: %q", got)
	}
	f := Forecast{Values: []float64{1e6, 181507, 0.004, 12.3, 0}, Intervals: []Interval{{
		Lower: []float64{1e6, 170000, 0.003, math.NaN(), 0},
		Upper: []float64{1e6 + 0.015625, 190000, 0.005, math.NaN(), 0}}}}
	for node, want := range []int{4, 0, 5, 1, 0} {
		if got := f.decimals(node); got != want {
			t.Errorf("node %d: %d decimals, want %d", node, got, want)
		}
	}
}

func TestLoadAndAheadInputErrors(t *testing.T) {
	data, folder := read(t, 40, 1), t.TempDir()
	r, path := fit(t, data, small), filepath.Join(folder, "model")
	for name, text := range map[string]map[string]string{
		"says how its data were read": nil, "fit the model again": {textKey: "{"}, "0 inputs": {textKey: "{}"},
	} {
		if err := r.Network.SaveWith(path, text); err != nil {
			t.Fatal(err)
		}
		name = strings.Replace(name, "says", "does not say", 1)
		if _, err := Load(xlatest.Go(t), path); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v, want one that says %q", text, err, name)
		}
	}
	damaged := filepath.Join(folder, "damaged")
	if err := os.WriteFile(damaged, []byte("node,from,ahead"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(xlatest.Go(t), damaged); !errors.Is(err, ErrInput) || !errors.Is(err, pengcde.ErrFile) ||
		!strings.Contains(err.Error(), "damaged or no model") || strings.Contains(err.Error(), ": pengcde: ") {
		t.Errorf("a table in place of a model: %v", err)
	}
	if _, err := Load(xlatest.Go(t), filepath.Join(folder, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	edges, nodes := travel(t, 4)
	short, err := r.Recipe.Read(t.Context(), edges, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Ahead(t.Context(), short); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(),
		"4 snapshots, of which 2 have all lags, but a forecast sees 3: give files with 5 snapshots") {
		t.Errorf("four snapshots: %v", err)
	}
	edges, nodes = travel(t, 2)
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(xlatest.Go(t), path)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	for _, m := range []*Model{&r.Model, loaded} {
		if _, err := m.Recipe.Read(t.Context(), edges, nodes); err == nil || !strings.Contains(err.Error(),
			"2 snapshots for 3 lags and 3 inputs, want 5 at least: read longer files") {
			t.Errorf("two snapshots: %v", err)
		}
	}
	edges, nodes = travel(t, 5)
	enough, err := r.Recipe.Read(t.Context(), edges, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if ahead, err := r.Ahead(t.Context(), enough); err != nil || len(ahead) != 1 || ahead[0].Time != "2024-02-25" {
		t.Errorf("five snapshots: %+v, %v", ahead, err)
	}
	other := *data.Series
	other.Pattern = &dyngraph.Pattern{Nodes: 6, From: []int32{0}, To: []int32{1}}
	if _, err := r.Ahead(t.Context(), &other); err == nil {
		t.Error("a series of other nodes gave no error")
	}
	ahead, err := r.Ahead(t.Context(), data.Series)
	if err != nil {
		t.Fatal(err)
	}
	if figure, err := r.Figure(data.Series, ahead, "Ely"); err != nil || figure == nil {
		t.Errorf("figure of Ely: %v", err)
	}
	if _, err := r.Figure(data.Series, ahead, "Rome"); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "Rome") {
		t.Errorf("figure of Rome: %v", err)
	}
}
