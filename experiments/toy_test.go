package experiments

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ring returns a ring of nodes with a feature that travels around it; the target is the feature of the snapshot.
func ring() *dyngraph.Series {
	const nodes, snapshots = 6, 24
	s := &dyngraph.Series{Name: "ring", FeatureSize: 1, TargetSize: 1, Pattern: &dyngraph.Pattern{Nodes: nodes}}
	for u := range nodes {
		s.Pattern.From = append(s.Pattern.From, int32(u))
		s.Pattern.To = append(s.Pattern.To, int32((u+1)%nodes))
	}
	for k := range snapshots {
		var x, weights []float64
		for u := range nodes {
			x = append(x, math.Sin(float64(k)/3+float64(u)))
			weights = append(weights, 1)
		}
		s.Times, s.Weights = append(s.Times, float64(k)), append(s.Weights, weights)
		s.Features, s.Targets = append(s.Features, x), append(s.Targets, x)
		s.LastObserved, s.RecentMean = append(s.LastObserved, x), append(s.RecentMean, x)
	}
	return s
}

// toyConfig is a model that trains in a moment.
var toyConfig = pengcde.Config{Nodes: 6, Features: 1, Hidden: 2, Field: field.Constant{}}

var toyTraining = train.Config{Epochs: 3, EvaluateEvery: 1}

// toy returns a study of two networks and two untrained models with two seeds, on the early half.
func toy(models ...Row) Study { return toyOn([]string{"early"}, models...) }

// toyOn returns the study of toy on the given values of the key "half".
func toyOn(halves []string, models ...Row) Study {
	if models == nil {
		three := toyConfig
		three.Hidden = 3
		models = []Row{NetworkRow("two", "Two", toyConfig, toyTraining), NetworkRow("three", "Three", three, toyTraining),
			BaselineRow("zero", baseline.Zero{}), BaselineRow("last", baseline.Persistence{})}
	}
	series := ring()
	split := func(half string) dyngraph.Split {
		split, err := series.Windows(4, 2).Chronological(0.6, 0.2)
		if err != nil {
			panic(err)
		}
		if half == "early" {
			split.Test = split.Test[:1]
		}
		return split
	}
	return Study{Name: "toy", Title: "A toy", Data: "ring",
		Plan: func(_ context.Context, scope Scope) (runs []Run, err error) {
			for _, m := range models {
				for _, seed := range scope.SeedsOr(2) {
					for _, half := range halves {
						runs = append(runs, Run{Model: m, Keys: map[string]string{"half": half}, Seed: seed,
							Identity: func() (any, error) {
								all := map[string]any{"row": m.ID, "data": Digest(series), "half": half, "seed": seed}
								return all, m.Identity(all)
							}})
					}
				}
			}
			return runs, nil
		},
		Execute: func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
			split := split(r.Key("half"))
			learner, err := m.Learner(r.Seed)
			if err != nil {
				return nil, err
			}
			facts, err := m.Fit(ctx, learner, split.Train, split.Validation)
			if err != nil {
				return facts, err
			}
			forecasts, err := learner.Forecast(ctx, split.Test)
			if err != nil {
				return facts, err
			}
			facts.Scores, facts.Arrays = make(map[string]float64), map[string][][]float64{"forecasts": forecasts}
			for i, w := range split.Test {
				e, err := train.MSE(forecasts[i], w.Target())
				if err != nil {
					return facts, err
				}
				facts.Scores["test"] += e / float64(len(split.Test))
			}
			return facts, nil
		},
		Show: func(r *Report) ([]figures.Item, error) {
			return []figures.Item{r.Table(Pivot{Title: "toy", Columns: "half", Score: "test", Better: figures.Lower,
				Decimals: 3}, r.Results)}, nil
		},
	}
}

// toyRuns is the number of toy's runs: two seeds of four models.
const toyRuns = 8

func options(t *testing.T) Options { return Options{Profile: Quick, Backend: xlatest.Go(t)} }

func run(t *testing.T, s Study, o Options) *Report {
	t.Helper()
	r, err := s.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func stored(t *testing.T, s Study, o Options) *Report {
	t.Helper()
	r, err := s.Stored(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func markdown(t *testing.T, r *Report) string {
	t.Helper()
	items, err := r.Items()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, item := range append(items, figures.Notes(items...)) {
		text, err := item.(interface{ Markdown() (string, error) }).Markdown()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

// results returns a new folder for results.
func results(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv(ResultsEnv, folder)
	return filepath.Join(folder, "toy")
}

// files returns the paths in a folder whose names match a pattern.
func files(t *testing.T, folder, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
