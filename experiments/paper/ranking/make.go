package ranking

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/experiments"
)

// Arrays of a run: the tested times with their scores, and for each time the ranked nodes with their scores.
const testTimes, testNodes, testByNode = "test times", "test nodes", "test by node"

// make trains on the data of a plan before its test, and scores the plan.
func (a *Affinity) make(ctx context.Context, m *experiments.RunContext, run experiments.Run) (
	*experiments.Facts, error) {
	r := run.Spec.(affinityRun)
	data, err := r.data.load(ctx, nil)
	if err != nil {
		return nil, err
	}
	plan, err := r.protocolOf(ctx, data, run)
	if err != nil {
		return nil, err
	}
	facts := &experiments.Facts{}
	var report *affinity.Report
	if f := r.Forecaster(); f != nil {
		report, err = affinity.Evaluate(ctx, plan, f, affinity.Validation, affinity.Test)
	} else {
		facts, report, err = r.fit(ctx, m, run, plan)
	}
	if err != nil {
		return facts, err
	}
	facts.Scores, facts.Arrays = make(map[string]float64), make(map[string][][]float64)
	for _, part := range []affinity.Part{affinity.Validation, affinity.Test} {
		if score := report.Mean(part); !math.IsNaN(score) {
			facts.Scores[string(part)] = score
		}
	}
	facts.Arrays[testTimes] = [][]float64{nil, nil}
	for _, s := range report.Scores {
		if s.Part != affinity.Test {
			continue
		}
		times := facts.Arrays[testTimes]
		times[0], times[1] = append(times[0], s.Time), append(times[1], s.NDCG)
		nodes := make([]float64, len(s.Nodes))
		for k, u := range s.Nodes {
			nodes[k] = float64(u)
		}
		facts.Arrays[testNodes] = append(facts.Arrays[testNodes], nodes)
		facts.Arrays[testByNode] = append(facts.Arrays[testByNode], s.ByNode)
	}
	return facts, nil
}

// fit trains a network and scores it.
func (r affinityRun) fit(ctx context.Context, m *experiments.RunContext, run experiments.Run, plan *affinity.Plan) (
	*experiments.Facts, *affinity.Report, error) {
	learner, err := m.Learner(run.Seed)
	if err != nil {
		return nil, nil, err
	}
	if stream, ok := learner.(*streamLearner); ok {
		stream.past = plan.Past()
		facts, err := m.Fit(ctx, stream, nil, nil)
		if err != nil {
			return facts, nil, err
		}
		report, err := affinity.Score(ctx, plan, stream.network, affinity.Validation, affinity.Test)
		return facts, report, err
	}
	network, ok := learner.(experiments.NetworkLearner)
	if !ok {
		return nil, nil, fmt.Errorf("experiments: row %s has a %T, want a network", r.ID, learner)
	}
	f := r.with(network.Model)
	f.Inputs = r.inputs()
	training, validation, err := f.Windows(ctx, plan.Past())
	if err != nil {
		return nil, nil, err
	}
	facts, err := m.Fit(ctx, learner, training, validation)
	if err != nil {
		return facts, nil, err
	}
	report, err := affinity.Score(ctx, plan, f, affinity.Validation, affinity.Test)
	return facts, report, err
}

// ownAffinity returns a user's data, or data of the Temporal Graph Benchmark: a folder or a zip file whose file names
// begin with the name of the data.
func ownAffinity(path string) *affinityData {
	name := strings.TrimSuffix(filepath.Base(path), ".zip")
	if !strings.HasSuffix(path, ".zip") {
		for _, pattern := range []string{"*_edgelist.csv", "*_edgelist.csv.gz"} {
			if found, err := filepath.Glob(filepath.Join(path, pattern)); err == nil && len(found) > 0 {
				name = strings.Split(filepath.Base(found[0]), "_edgelist.csv")[0]
			}
		}
	}
	trade := !strings.HasPrefix(name, "tgbn-")
	return &affinityData{name: name, yearly: trade || name == "tgbn-trade", open: func(ctx context.Context,
		progress func(tgb.Progress)) (*tgb.Data, error) {
		c := tgb.Config{Name: name, Path: path, Progress: progress}
		if trade {
			c.Format = "tgbn-trade"
		}
		return tgb.Open(ctx, c)
	}}
}
