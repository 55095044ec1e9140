package forecast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// world reads tables of a simulated world: on a graph of changing weights, next returns a node's value from its own
// last one, and from the mean of its neighbours' last ones, by weight.
func world(t testing.TB, nodes, times int, next func(own, neighbours, noise float64) float64) *table.Data {
	t.Helper()
	var edges, values bytes.Buffer
	fmt.Fprintln(&edges, "time,source,destination,weight")
	fmt.Fprintln(&values, "time,node,x")
	random, state := rand.New(rand.NewPCG(3, 4)), make([]float64, nodes)
	for u := range state {
		state[u] = random.NormFloat64()
	}
	for at := range times {
		after := slices.Clone(state)
		for u := range state {
			fmt.Fprintf(&values, "%d,%d,%.6f\n", at, u, state[u])
			sum, weights := 0.0, 0.0
			for _, v := range []int{(u + 1) % nodes, (3*u + 2 + at/10) % nodes} {
				w := 0.5 + random.Float64()
				fmt.Fprintf(&edges, "%d,%d,%d,%.4f\n", at, u, v, w)
				sum, weights = sum+w*state[v], weights+w
			}
			after[u] = next(state[u], sum/weights, random.NormFloat64())
		}
		state = after
	}
	folder := t.TempDir()
	config := table.Config{Edges: table.Edges{Path: filepath.Join(folder, "edges.csv")}, Lags: 1, Notices: io.Discard,
		Nodes: table.Nodes{Path: filepath.Join(folder, "nodes.csv"), Targets: []string{"x"}}}
	for path, content := range map[string][]byte{config.Edges.Path: edges.Bytes(), config.Nodes.Path: values.Bytes()} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := table.Read(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The graph's gain is shown where a node follows its neighbours, and none where each node is a series of its own.
func TestGraphWorth(t *testing.T) {
	config := Config{Graph: true, Inputs: 2, Hidden: 4, Epochs: 10, LearningRate: 0.03, Seeds: 1}
	for _, c := range []struct {
		name string
		next func(own, neighbours, noise float64) float64
		want stats.Outcome
		says string
	}{
		{"follow", func(_, neighbours, noise float64) float64 { return 0.95*neighbours + 0.4*noise }, stats.Better,
			"The graph lowers the error: with it PENG-CDE has an error "},
		{"alone", func(own, _, noise float64) float64 { return 0.8*own + 0.5*noise }, stats.NotShown,
			"No gain from the graph is shown: with it PENG-CDE has an error "},
	} {
		r := fit(t, world(t, 8, 110, c.next), config)
		if r.Graph.Outcome() != c.want || !strings.HasPrefix(r.Graph.String(), c.says) {
			t.Errorf("%s: want %q, got %s", c.name, c.want, r.Graph)
		}
		folder := t.TempDir()
		if err := r.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(folder, PageFile))
		if err != nil || strings.Count(string(page), c.says) != 1 || !strings.Contains(string(page), "Nodes that gain most") {
			t.Errorf("%s: %v, the page says %d times what the graph is worth", c.name, err,
				strings.Count(string(page), c.says))
		}
		if all := rows(t, filepath.Join(folder, ErrorsFile)); len(all) != 1+(8+3)*9 { // with three means over seeds
			t.Errorf("%s: %d rows of errors", c.name, len(all))
		}
	}
}

// quick trains little, on a random walk, where the last value is the best forecast.
var quick = Config{Model: "auto", Inputs: 2, Hidden: 2, Epochs: 1, Seeds: 1, Budget: time.Hour}

func walk(t *testing.T) *table.Data {
	t.Helper()
	return world(t, 5, 100, func(own, _, noise float64) float64 { return own + noise })
}

// A network leads by an interval; where windows are too few for one, by a lower error in every one of at least six and
// a third less in the mean.
func TestLeads(t *testing.T) {
	s := walk(t).Series
	for _, c := range []struct {
		windows, length int
		network         func(window int) float64
		want            bool
	}{
		{40, 2, func(int) float64 { return 0.9 }, true},
		{40, 2, func(window int) float64 { return 0.9 + float64(window%2) }, false},
		{40, 2, func(window int) float64 { return 0.6 + 0.5*float64(window%2) }, true},
		{6, 20, func(int) float64 { return 0.6 }, true},
		{6, 20, func(int) float64 { return 0.7 }, false},
		{6, 20, func(window int) float64 { return 0.1 + float64(window/5) }, false},
		{6, 20, func(int) float64 { return 1 }, false},
		{5, 20, func(int) float64 { return 0.1 }, false},
		{7, 20, func(window int) float64 {
			if window == 3 {
				return math.NaN() // no target observed
			}
			return 0.6
		}, true},
	} {
		var network, simple baseline.Score
		for i := range c.windows {
			w := dyngraph.Window{Series: s, Start: i, Length: c.length}
			network.Windows, simple.Windows = append(network.Windows, w), append(simple.Windows, w)
			mse := c.network(i)
			network.Errors = append(network.Errors, mse)
			simple.Errors = append(simple.Errors, mse-mse+1+0.01*float64(i%3)) // NaN where it is
		}
		if got := leads(network, simple); got != c.want {
			t.Errorf("%d windows of %d: leads %t", c.windows, c.length, got)
		}
	}
}

// A simple forecast that is the best by validation is the model, which is written, loaded and forecasts.
func TestAutoChoosesASimpleForecast(t *testing.T) {
	data, folder := walk(t), t.TempDir()
	r := fit(t, data, quick)
	best, ok := r.Choice.best(true)
	if r.Network != nil || r.Report != nil || r.Choice.Candidates[0].Name != r.Score.Name || !ok ||
		r.Choice.Candidates[0].Validation >= best.Validation || len(r.Choice.Candidates) != 4+7 || r.Epochs() != 4 {
		t.Fatalf("%s; %d candidates, %d epochs: %+v", r.Choice, len(r.Choice.Candidates), r.Epochs(), r.Choice.Candidates[9])
	}
	name := r.Score.Name
	for _, want := range []string{plain.Capital(name) + " has the lowest error on the ",
		"the best trained model there is " + best.Name} {
		if !strings.Contains(r.Choice.String(), want) {
			t.Errorf("%s, want %q", r.Choice, want)
		}
	}
	if !strings.Contains(r.Verdict(), name) && !strings.Contains(r.Verdict(), plain.Capital(name)) ||
		!strings.Contains(r.Verdict(), best.Name) {
		t.Errorf("%s and %s are not compared: %s", name, best.Name, r.Verdict())
	}
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	written := rows(t, filepath.Join(folder, ForecastsFile))
	if got, want := len(written[0]), 4+5+6; written[0][4] != name || got != want {
		t.Errorf("%d columns %q, want %d", got, written[0], want)
	}
	model, err := Load(xlatest.Go(t), filepath.Join(folder, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	ahead, err := model.Ahead(t.Context(), data.Series)
	if err != nil || model.Name() != name || len(ahead) != 1 || len(ahead[0].Intervals) != 2 {
		t.Fatalf("%v: %q forecasts %+v", err, model.Name(), ahead)
	}
	for u, row := range written[1:] {
		if exact(ahead[0].Values[u]) != row[4] {
			t.Errorf("%s: %g, written %s", row[0], ahead[0].Values[u], row[4])
		}
	}
	if err := model.WriteForecasts(filepath.Join(folder, "new.csv"), ahead); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, PageFile))
	for _, text := range []string{"has the lowest error on", "The choice, on", "GN-ODE", "DCRNN",
		"fitted to all windows"} {
		if err != nil || !strings.Contains(string(page), text) {
			t.Errorf("%v: the page has no %q", err, text)
		}
	}
}

// A simple forecast that cannot be fitted to all windows, here as values of 10^10 come last, is the model as it was
// tested, and the comparison is written.
func TestAutoKeepsWhatCannotBeFittedAgain(t *testing.T) {
	const nodes, times = 5, 100
	calls := 0
	data := world(t, nodes, times, func(own, _, noise float64) float64 {
		if calls++; (calls-1)/nodes == times-8 {
			return own * 1e10
		}
		return -0.95*own + 0.1*noise
	})
	c, told, folder := quick, "", t.TempDir()
	c.Notice = func(text string) { told += text + "\n" }
	r := fit(t, data, c)
	name := r.Score.Name
	if !strings.HasPrefix(name, "ridge") || r.Choice.Candidates[0].Name != name {
		t.Fatalf("%s is the model, want a ridge: %s", name, r.Choice)
	}
	for _, want := range []string{name + " stays fitted to the windows for training, as it was tested: forecast: " + name +
		" fitted to all windows: ", "want a larger penalty", "--scale log1p"} {
		if !strings.Contains(told, want) {
			t.Errorf("notices have no %q: %s", want, told)
		}
	}
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, PageFile))
	if err != nil || !strings.Contains(string(page), "it could not be fitted to all windows") ||
		strings.Contains(string(page), name+", fitted to all windows") {
		t.Errorf("the page does not say how %s was fitted: %v", name, err)
	}
	model, err := Load(xlatest.Go(t), filepath.Join(folder, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	last := r.Score.Windows[len(r.Score.Windows)-1]
	got, err := model.forecast(t.Context(), last)
	if want := r.Score.Forecasts[len(r.Score.Forecasts)-1]; err != nil || !slices.Equal(got, want) {
		t.Errorf("the stored model forecasts %v (%v), tested %v", got, err, want)
	}
}

// An interrupted choice goes on to the same result, and its checkpoints are removed.
func TestInterruptedAutoGoesOn(t *testing.T) {
	data, c := walk(t), quick
	want := fit(t, data, c)
	c.Checkpoint = filepath.Join(t.TempDir(), "training")
	if c.HasCheckpoint(data) {
		t.Error("a checkpoint before the training")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Progress = func(_ float64, _ time.Duration, text string) {
		if strings.HasPrefix(text, "GN-ODE, seed 0: epoch") {
			cancel()
		}
	}
	if _, err := Fit(ctx, xlatest.Go(t), data, c); !errors.Is(err, context.Canceled) || !c.HasCheckpoint(data) {
		t.Fatal(err)
	}
	c.Progress = nil
	got := fit(t, data, c)
	for i, one := range got.Choice.Candidates {
		if other := want.Choice.Candidates[i]; one.Name != other.Name || one.Validation != other.Validation {
			t.Errorf("%s %g after an interrupt, want %s %g", one.Name, one.Validation, other.Name, other.Validation)
		}
	}
	if got.Graph.String() != want.Graph.String() {
		t.Errorf("after an interrupt: %s, want %s", got.Graph, want.Graph)
	}
	if err := got.RemoveCheckpoints(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(c.Checkpoint + "*"); err != nil || len(left) > 0 {
		t.Errorf("checkpoints stay: %q, %v", left, err)
	}
}

// Without time a training has one batch and there is one seed, the model is complete all the same, and a graph's gain
// is not made up.
func TestNoTime(t *testing.T) {
	r := fit(t, walk(t), Config{Inputs: 2, Hidden: 2, Linear: true, Graph: true, Budget: 1})
	if r.Choice == nil || r.Name() != "PENG-CDE + linear" || len(r.Choice.Candidates[0].Seeds) != 1 {
		t.Fatalf("%s of %v", r.Name(), r.Choice)
	}
	if r.Report.Stop != train.StopTime || len(r.Report.Epochs) != 1 {
		t.Errorf("%d epochs, %s", len(r.Report.Epochs), r.Report.Stop)
	}
	if r.Graph.Outcome() != stats.NotTested || !strings.Contains(r.Graph.String(), "was not measured") {
		t.Errorf("%s", r.Graph)
	}
	if err := r.Write(t.Context(), t.TempDir()); err != nil {
		t.Error(err)
	}
}

// A budget that is over after the first model leaves the others out.
func TestNoTimeForAll(t *testing.T) {
	c, heard := quick, ""
	c.Budget, c.Notice = 1, func(text string) { heard += text }
	r := fit(t, walk(t), c)
	if len(r.Choice.Candidates) != 4+7 || r.Epochs() != 1 || strings.Count(heard, "left no time") != 3 {
		t.Errorf("%d epochs of %d candidates, %q", r.Epochs(), len(r.Choice.Candidates), heard)
	}
}

// Shares add up to the budget, and a share shrinks where those before took longer.
func TestShares(t *testing.T) {
	c, err := Config{Model: "auto", Search: true, Budget: 18*time.Minute + 40*time.Second}.resolved()
	if err != nil {
		t.Fatal(err)
	}
	all := c.candidates()
	if len(all) != 16 || all[0].share != time.Minute || all[15].label("dcrnn") != "dcrnn, learning rate 0.01" {
		t.Errorf("%d candidates with shares of %v, the last %+v", len(all), all[0].share, all[15])
	}
	late := clock{budget: time.Hour, left: time.Hour, began: time.Now(), earlier: 30 * time.Minute}
	for range 2 {
		late.earlier = late.begin(10*time.Minute) - time.Since(late.began)
	}
	if spent := late.spent().Round(time.Second); spent != 40*time.Minute {
		t.Errorf("two shares of 10 min after half of the hour end at %v", spent)
	}
}

// The other graphs have no edges, or the same weights between other nodes.
func TestOtherGraphs(t *testing.T) {
	s := world(t, 12, 30, func(own, _, _ float64) float64 { return own }).Series
	loops, other := withoutEdges(s), shuffled(s)
	for _, changed := range []*dyngraph.Series{loops, other} {
		if err := changed.Validate(); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(loops.Pattern.From, loops.Pattern.To) || loops.Pattern.Edges() != s.Nodes() {
		t.Errorf("edges without edges: %+v", loops.Pattern)
	}
	same := 0
	for e, from := range s.Pattern.From {
		if other.Pattern.From[e] == from && other.Pattern.To[e] == s.Pattern.To[e] {
			same++
		}
	}
	if same > s.Pattern.Edges()/2 {
		t.Errorf("%d of %d edges join the same nodes", same, s.Pattern.Edges())
	}
	for i, row := range s.Weights {
		if !slices.Equal(slices.Sorted(slices.Values(row)), slices.Sorted(slices.Values(other.Weights[i]))) {
			t.Errorf("snapshot %d has other weights", i)
		}
	}
}

// A seed that diverges is left out, with a notice, and another is kept.
func TestSeedsThatDiverge(t *testing.T) {
	data, said := walk(t), ""
	r, err := Fit(t.Context(), xlatest.Go(t), data, Config{Model: "peng", Inputs: 2, Hidden: 4, Epochs: 8,
		LearningRate: 80, Seeds: 4, Notice: func(text string) { said += text + "\n" }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if out := strings.Count(said, " is left out: "); out == 0 || out > 3 || r.Network == nil {
		t.Errorf("%d seeds are left out, want some but not all:\n%s", out, said)
	}
	if _, err := r.Ahead(t.Context(), data.Series); err != nil {
		t.Error(err)
	}
}

// Shuffled edges differ from the edges also on few nodes, and no node keeps its edges.
func TestShuffledDiffers(t *testing.T) {
	for nodes := 3; nodes < 10; nodes++ {
		from, to := make([]int, nodes), make([]int, nodes)
		weights := make([]float64, nodes)
		for u := range nodes {
			from[u], to[u], weights[u] = u, (u+1)%nodes, float64(u+1)
		}
		pattern, _, err := dyngraph.NewPattern(nodes, from, to)
		if err != nil {
			t.Fatal(err)
		}
		s := &dyngraph.Series{Pattern: pattern, Weights: [][]float64{weights}}
		if sameGraph(s, shuffled(s)) {
			t.Errorf("%d nodes: the shuffled graph is the graph", nodes)
		}
	}
}
