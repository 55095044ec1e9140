package pgt

import (
	_ "embed" // for the shipped files
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Event is a tennis tournament of 2017 whose mentions are shipped.
type Event string

const (
	// RG17 is Roland-Garros: 120 snapshots.
	RG17 Event = "rg17"
	// UO17 is the US Open: 112 snapshots.
	UO17 Event = "uo17"
)

//go:embed twitter_tennis_rg17.json.gz
var tennisRG17 []byte

//go:embed twitter_tennis_uo17.json.gz
var tennisUO17 []byte

// tennisFiles are the shipped files.
var tennisFiles = map[Event]shippedFile{
	RG17: {tennisRG17, "1f9c3501a96881bbc26c899483c3fce73f36081f2df29d91fcd33c6dc4edf9c8"},
	UO17: {tennisUO17, "1c566bf220272c9a6f8b83161b432a77c9f8973e34f748e1d0c8f6d5ee138579"},
}

// Widths of the one-hot features of twitter_tennis.
const (
	degreeClasses       = 5
	transitivityClasses = 11
)

// recentSnapshots is the number of snapshots in Series.RecentMean of twitter_tennis, the same as england_covid's lags.
const recentSnapshots = 8

// TwitterTennis returns a shipped series of mentions between 1000 Twitter accounts, see the package's doc: 16 features
// and 1 target a node, weights up to 42 ([RG17]) and 78 mentions ([UO17]). The union of snapshots has 13473 and 14351
// directed edges, up to 819 and 813 into one node; a single snapshot has up to 225 and 181 into one.
func TwitterTennis(event Event) (*dyngraph.Series, error) {
	file, ok := tennisFiles[event]
	if !ok {
		return nil, errs.New(dyngraph.ErrInvalid, "datasets/pgt: event %q, want %q or %q", event, RG17, UO17)
	}
	content, err := file.open()
	if err != nil {
		return nil, err
	}
	return parseTennis("twitter_tennis_"+string(event), content)
}

// ReadTwitterTennis reads JSON, plain or compressed by gzip, of the form
//
//	{"0": {"edges": [[from, to], ...], "weights": [w, ...], "X": [[degree, transitivity], ...], "y": [mentions, ...]},
//	 "1": ..., "time_periods": snapshots, "node_ids": {account: node, ...}}
//
// Weights of an edge that a snapshot repeats are summed. Only the options [Name] and [MaxBytes] apply. Errors are as in
// [Read].
func ReadTwitterTennis(r io.Reader, options ...Option) (*dyngraph.Series, error) {
	c := config{name: "twitter_tennis"}
	for _, option := range options {
		option(&c)
	}
	if c.lag != 0 || c.standardisation != "" {
		return nil, c.invalid("Lag or Standardise for twitter_tennis, which has neither: want Name and MaxBytes alone")
	}
	content, err := c.plain(r)
	if err != nil {
		return nil, err
	}
	return parseTennis(c.name, content)
}

// tennisSnapshot is one snapshot of the JSON as it stands; pointers tell null from 0.
type tennisSnapshot struct {
	Edges    [][]*int     `json:"edges"`
	Weights  []*float64   `json:"weights"`
	Nodes    [][]*float64 `json:"X"`
	Mentions []*float64   `json:"y"`
}

func parseTennis(name string, content []byte) (*dyngraph.Series, error) {
	c := config{name: name}
	var entries map[string]json.RawMessage
	if err := c.unmarshal(content, &entries); err != nil {
		return nil, err
	}
	var periods int
	if err := c.entry(entries, "time_periods", &periods); err != nil {
		return nil, err
	}
	if periods < 1 {
		return nil, c.invalid("time_periods is %d, want at least 1", periods)
	}
	var snapshots []tennisSnapshot
	for k := range periods {
		var snapshot tennisSnapshot
		if err := c.entry(entries, strconv.Itoa(k), &snapshot); err != nil {
			return nil, err
		}
		snapshots = append(snapshots, snapshot)
		if err := c.checkTennis(k, snapshot, len(snapshots[0].Mentions)); err != nil {
			return nil, err
		}
	}
	if _, more := entries[strconv.Itoa(periods)]; more {
		return nil, c.invalid("time_periods is %d but there is an entry %q, want the number of snapshots", periods,
			strconv.Itoa(periods))
	}
	names, err := c.tennisNames(entries, len(snapshots[0].Mentions))
	if err != nil {
		return nil, err
	}
	return c.tennisSeries(snapshots, names)
}

func (c config) entry(entries map[string]json.RawMessage, key string, into any) error {
	content, ok := entries[key]
	if !ok {
		return c.invalid("no entry %q: the file is not complete", key)
	}
	if err := json.Unmarshal(content, into); err != nil {
		return c.invalid("entry %q: %v", key, err)
	}
	return nil
}

func (c config) checkTennis(k int, s tennisSnapshot, nodes int) error {
	switch {
	case nodes == 0:
		return c.invalid("snapshot %d has no nodes", k)
	case len(s.Mentions) != nodes || len(s.Nodes) != nodes:
		return c.invalid("snapshot %d has y of %d nodes and X of %d, want %d as in snapshot 0", k, len(s.Mentions),
			len(s.Nodes), nodes)
	case s.Edges == nil || s.Weights == nil:
		return c.invalid("snapshot %d lacks edges or weights: one without mentions takes empty lists", k)
	}
	if err := c.checkEdges(fmt.Sprintf("snapshot %d", k), edges{s.Edges, s.Weights}, nodes); err != nil {
		return err
	}
	for u, x := range s.Nodes {
		if len(x) != 2 || x[0] == nil || x[1] == nil || *x[0] < 0 || *x[1] < 0 || *x[1] > 1 {
			return c.invalid("X of node %d in snapshot %d is not a degree and a transitivity from 0 to 1", u, k)
		}
		if y := s.Mentions[u]; y == nil || *y < 0 {
			return c.invalid("y of node %d in snapshot %d is null or negative, want a number of mentions", u, k)
		}
	}
	return nil
}

func (c config) tennisNames(entries map[string]json.RawMessage, nodes int) ([]string, error) {
	var ids map[string]*int
	if err := c.entry(entries, "node_ids", &ids); err != nil {
		return nil, err
	}
	if len(ids) != nodes {
		return nil, c.invalid("node_ids names %d nodes, y has %d", len(ids), nodes)
	}
	names, given := make([]string, nodes), make([]bool, nodes)
	for name, u := range ids {
		if u == nil {
			return nil, c.invalid("node_ids gives %q no node", name)
		}
		if *u < 0 || *u >= nodes || given[*u] {
			return nil, c.invalid("node_ids gives %q the node %d, want 0..%d, each once", name, *u, nodes-1)
		}
		names[*u], given[*u] = name, true
	}
	return names, nil
}

func (c config) tennisSeries(snapshots []tennisSnapshot, names []string) (*dyngraph.Series, error) {
	nodes := len(names)
	s := &dyngraph.Series{Name: c.name, NodeNames: names, FeatureSize: degreeClasses + transitivityClasses,
		TargetSize: 1, Alignment: dyngraph.Alignment{Targets: dyngraph.StepRange{First: 1, Last: 1}}}
	var steps []edges
	for _, snapshot := range snapshots {
		steps = append(steps, edges{snapshot.Edges, snapshot.Weights})
	}
	var err error
	if s.Pattern, s.Weights, err = c.graph(steps, nodes); err != nil {
		return nil, err
	}
	for k, snapshot := range snapshots {
		newest := make([]float64, nodes)
		for e, w := range snapshot.Weights {
			newest[*snapshot.Edges[e][1]] += *w
		}
		features, targets := make([]float64, nodes*s.FeatureSize), make([]float64, nodes)
		next := snapshots[min(k+1, len(snapshots)-1)].Mentions
		for u, x := range snapshot.Nodes {
			degree := min(int(math.Ceil(math.Log1p(*x[0]))), degreeClasses-1)
			transitivity := int(math.Floor((transitivityClasses - 1) * *x[1]))
			features[u*s.FeatureSize+degree] = 1
			features[u*s.FeatureSize+degreeClasses+transitivity] = 1
			targets[u], newest[u] = math.Log1p(*next[u]), math.Log1p(newest[u])
		}
		s.Times, s.LastObserved = append(s.Times, float64(k)), append(s.LastObserved, newest)
		s.Features, s.Targets = append(s.Features, features), append(s.Targets, targets)
		s.RecentMean = append(s.RecentMean, meanOf(s.LastObserved[max(0, k+1-recentSnapshots):]))
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("datasets/pgt: %w", err)
	}
	return s, nil
}

// meanOf is the mean of rows of equal length, entry by entry.
func meanOf(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		for u, v := range row {
			mean[u] += v / float64(len(rows))
		}
	}
	return mean
}
