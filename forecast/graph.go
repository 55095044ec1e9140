package forecast

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/stats"
)

// GraphWorth tells what the graph is worth to a model: its errors on the tested windows, beside the errors of the same
// model trained, and tested, on other graphs. All are means over the same seeds.
type GraphWorth struct {
	// Model is the name of the model: of the trained models, the best by validation.
	Model string
	// Seeds is their number; 0 if the budget left no time to train without the graph for as many epochs as with it. Only
	// Model is then set.
	Seeds int
	// With, Without and Shuffled are the errors with the graph of the data; with a graph of self-loops only; and with the
	// edges of other nodes: a permutation of the nodes, the same at all times, moves both ends of each edge with its
	// weight. They have no forecasts.
	With, Without, Shuffled baseline.Score
	// Gain is the difference of With from Without and from Shuffled, see [stats.Compare].
	Gain []stats.Difference
}

// changes are the other graphs.
var changes = []struct {
	name string
	of   func(*dyngraph.Series) *dyngraph.Series
}{{"without edges", withoutEdges}, {"shuffled edges", shuffled}}

// withoutEdges returns the series with a self-loop of weight 1 at each node in place of its edges.
func withoutEdges(s *dyngraph.Series) *dyngraph.Series {
	other, loops, ones := *s, &dyngraph.Pattern{Nodes: s.Nodes()}, slices.Repeat([]float64{1}, s.Nodes())
	for u := range s.Nodes() {
		loops.From, loops.To = append(loops.From, int32(u)), append(loops.To, int32(u))
	}
	other.Pattern, other.Weights = loops, slices.Repeat([][]float64{ones}, len(s.Weights))
	return withPresence(&other)
}

// withPresence returns the series without the weights of edges of absent nodes.
func withPresence(s *dyngraph.Series) *dyngraph.Series {
	if s.Present == nil {
		return s
	}
	made, err := s.WithPresence(s.Present)
	if err != nil {
		panic(err) // all but the edges belongs to a valid series
	}
	return made
}

// shuffled returns the series with the edges of other nodes, as far as these are present; with the same edges if a
// graph is so regular that none of some permutations changes it.
func shuffled(s *dyngraph.Series) *dyngraph.Series {
	const tries, stream = 10, 0x67726170 // any constants
	other := s
	for seed := uint64(1); seed <= tries; seed++ {
		order := rand.New(rand.NewPCG(seed, stream)).Perm(s.Nodes())
		moved := make([]int, len(order))
		for i, u := range order { // a cycle, so that no node keeps its edges
			moved[u] = order[(i+1)%len(order)]
		}
		if other = permuted(s, moved); !sameGraph(s, other) {
			break
		}
	}
	return other
}

// sameGraph reports whether two series have the same edges with the same weights at all times.
func sameGraph(a, b *dyngraph.Series) bool {
	return slices.Equal(a.Pattern.From, b.Pattern.From) && slices.Equal(a.Pattern.To, b.Pattern.To) &&
		slices.EqualFunc(a.Weights, b.Weights, slices.Equal)
}

// permuted returns the series with the edges of node u at node moved[u].
func permuted(s *dyngraph.Series, moved []int) *dyngraph.Series {
	from, to := make([]int, s.Pattern.Edges()), make([]int, s.Pattern.Edges())
	for e := range from {
		from[e], to[e] = moved[s.Pattern.From[e]], moved[s.Pattern.To[e]]
	}
	pattern, index, err := dyngraph.NewPattern(s.Nodes(), from, to)
	if err != nil {
		panic(err) // the nodes belong to a valid pattern
	}
	other := *s
	other.Pattern, other.Weights = pattern, nil
	for i, row := range s.Weights {
		if i > 0 && len(row) > 0 && &row[0] == &s.Weights[i-1][0] { // a graph that does not change is one row
			other.Weights = append(other.Weights, other.Weights[i-1])
			continue
		}
		weights := make([]float64, len(row))
		for e, w := range row {
			weights[index[e]] = w
		}
		other.Weights = append(other.Weights, weights)
	}
	return withPresence(&other)
}

// on returns the windows on another series of the same times.
func on(s *dyngraph.Series, windows []dyngraph.Window) []dyngraph.Window {
	moved := slices.Clone(windows)
	for i := range moved {
		moved[i].Series = s
	}
	return moved
}

// averaged returns the mean errors of scores on the same windows.
func averaged(name string, scores []baseline.Score) baseline.Score {
	mean := baseline.Score{Name: name, Windows: scores[0].Windows,
		Errors: make([]float64, len(scores[0].Errors)), NodeErrors: make([]float64, len(scores[0].NodeErrors))}
	for _, s := range scores {
		floats.AddScaled(mean.Errors, 1/float64(len(scores)), s.Errors)
		floats.AddScaled(mean.NodeErrors, 1/float64(len(scores)), s.NodeErrors)
	}
	return mean
}

// newGraphWorth compares the scores of seeds with the graph and with the other graphs, in the order of changes.
func newGraphWorth(model string, with []baseline.Score, others [][]baseline.Score) (*GraphWorth, error) {
	g := &GraphWorth{Model: model, Seeds: len(with), With: averaged(model, with),
		Without:  averaged(model+", "+changes[0].name, others[0]),
		Shuffled: averaged(model+", "+changes[1].name, others[1])}
	observed := func(s baseline.Score) []float64 { return slices.DeleteFunc(slices.Clone(s.Errors), math.IsNaN) }
	if len(observed(g.With)) < 2 {
		return g, nil // nothing to compare
	}
	var err error
	g.Gain, err = stats.Compare(observed(g.With), [][]float64{observed(g.Without), observed(g.Shuffled)},
		stats.Overlapping(baseline.Lag(g.With.Windows)))
	return g, err
}

// Outcome returns the finding: Better if the graph lowers the error against both other graphs, Worse if it raises the
// error against no edges.
func (g *GraphWorth) Outcome() stats.Outcome {
	if g.Gain == nil || math.IsInf(g.Gain[0].HalfWidth, 0) {
		return stats.NotTested
	}
	without, shuffled := g.Gain[0].Outcome(), g.Gain[1].Outcome()
	same := slices.Equal(g.With.Errors, g.Shuffled.Errors) // so regular that no permutation changes it
	if without == stats.Worse || without == stats.Better && (same || shuffled == stats.Better) {
		return without
	}
	return stats.NotShown
}

// String states in one sentence what the graph is worth.
func (g *GraphWorth) String() string {
	switch {
	case g.Seeds == 0:
		return "What the graph is worth was not measured: the budget was too small to train without it for as many epochs " +
			"as with it."
	case g.Gain == nil:
		return "No gain from the graph is shown: there are fewer than two tested windows."
	}
	outcome := g.Outcome()
	than := func(d stats.Difference, s baseline.Score, against string) string {
		mean, _ := s.Mean()
		gain, half, word := 100*(0-d.Mean)/mean, 100*d.HalfWidth/mean, "lower"
		if gain < 0 {
			gain, word = -gain, "higher"
		}
		text := percent(gain) + "% " + word
		if outcome != stats.NotTested {
			text += fmt.Sprintf(" (%s to %s%%)", percent(gain-half), percent(gain+half))
		}
		return text + " than " + against
	}
	says := map[stats.Outcome]string{stats.Better: "The graph lowers the error",
		stats.Worse: "No gain from the graph, which raises the error"}
	over := ""
	if g.Seeds > 1 {
		over = fmt.Sprintf(", in the mean of %d seeds,", g.Seeds)
	}
	text := fmt.Sprintf("%s: with it %s%s has an error %s and %s",
		cmp.Or(says[outcome], "No gain from the graph is shown"), g.Model, over,
		than(g.Gain[0], g.Without, changes[0].name), than(g.Gain[1], g.Shuffled, "with "+changes[1].name))
	if outcome == stats.NotTested {
		text += "; the tested windows are too few, or share too much, for an interval"
	}
	return text + "."
}

// percent formats a number of percents.
func percent(v float64) string {
	decimals := 0
	if math.Abs(v) < 10 {
		decimals = 1
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−", 1)
}

// mostNodes is the number of nodes in the table.
const mostNodes = 10

// tables show the errors, and the nodes that gain most.
func (g *GraphWorth) tables(s *dyngraph.Series) []figures.Item {
	if g.Seeds == 0 {
		return nil
	}
	all := &figures.Table{Title: "With the graph and without it", Finding: g.String(),
		Columns: []figures.Column{{Title: "graph"}, {Title: "mean squared error", Better: figures.Lower, Decimals: 3},
			{Title: "with the graph minus it", Decimals: 3}},
		Rows: [][]figures.Cell{{figures.Text("of the data"), estimate(g.With.Mean()), figures.Text("")}},
		Notes: []string{fmt.Sprintf("The errors of %s on the tested windows, means over seeds: %d; the model kept is "+
			"one seed, whose error differs. Without edges each node has a self-loop alone; shuffled edges, with their "+
			"weights, join other nodes, by one permutation at all times. The finding corrects its p values for two "+
			"comparisons (Holm); the intervals are not corrected.", g.Model, g.Seeds)}}
	for i, other := range []baseline.Score{g.Without, g.Shuffled} {
		row := []figures.Cell{figures.Text(changes[i].name), estimate(other.Mean())}
		if g.Gain != nil {
			row = append(row, estimate(g.Gain[i].Mean, g.Gain[i].HalfWidth))
		}
		all.Rows = append(all.Rows, row)
	}
	var nodes []int
	lower := 0
	for u, with := range g.With.NodeErrors {
		if known(with) {
			nodes = append(nodes, u)
			if with < min(g.Without.NodeErrors[u], g.Shuffled.NodeErrors[u]) {
				lower++
			}
		}
	}
	gain := func(u int) float64 { return g.Without.NodeErrors[u] - g.With.NodeErrors[u] }
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(gain(b), gain(a)) })
	each := &figures.Table{Title: "Nodes that gain most from the graph",
		Columns: []figures.Column{{Title: "node"}, {Title: "with the graph", Decimals: 3},
			{Title: changes[0].name, Decimals: 3}, {Title: changes[1].name, Decimals: 3}},
		Finding: fmt.Sprintf("%d of %d nodes have a lower error with the graph than on either other graph. Nodes are not "+
			"tested one by one.", lower, len(nodes)),
		Notes: []string{"Mean squared errors of nodes; " + ErrorsFile + " has all nodes."}}
	for _, u := range nodes[:min(len(nodes), mostNodes)] {
		each.Rows = append(each.Rows, []figures.Cell{figures.Text(nodeName(s, u)), figures.Number(g.With.NodeErrors[u]),
			figures.Number(g.Without.NodeErrors[u]), figures.Number(g.Shuffled.NodeErrors[u])})
	}
	return []figures.Item{all, each}
}
