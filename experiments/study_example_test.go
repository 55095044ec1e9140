package experiments_test

import (
	"context"
	"fmt"
	"os"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// Normalisations asks which matrix of movements serves a PENG-CDE best on england-covid.
//
// Protocol: windows of five days side by side, four of them inputs; 60% for training, 20% for validation, shuffled by
// the seed, so that training windows may share days with tested ones; a small PENG-CDE; mean squared error by region on
// the tested windows, beside a forecast of zero.
func Normalisations() experiments.Study {
	return experiments.Study{Name: "england-normalisations", Title: "Which matrix of movements", Data: "england_covid",
		Plan: planNormalisations, Execute: makeNormalisations, Show: showNormalisations}
}

// protocol is part of the identity of every run: what Execute does by it decides the outcome.
type protocol struct {
	Length, Stride    int
	Train, Validation float64
}

var published = protocol{Length: 5, Stride: 5, Train: 0.6, Validation: 0.2}

// split returns the split of a seed.
func (p protocol) split(seed uint64) (dyngraph.Split, error) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		return dyngraph.Split{}, err
	}
	return series.Windows(p.Length, p.Stride).Split(p.Train, p.Validation, seed)
}

// planNormalisations lists the runs: models, by the values of the key "matrix", by seeds.
func planNormalisations(_ context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		return nil, err
	}
	training, seeds := train.Config{Epochs: 100}, 5
	if scope.Profile == experiments.Quick {
		training, seeds = train.Config{Epochs: 2}, 1
	}
	data := experiments.Digest(series)
	for _, matrix := range []dyngraph.Normalisation{dyngraph.NormalisedLaplacian, dyngraph.NormalisedAdjacency} {
		peng := pengcde.Config{Nodes: 129, Features: 8, Hidden: 4, Layers: 1, Input: pengcde.Input{Normalise: matrix},
			Equation: pengcde.Equation{Step: 1}}
		models := []experiments.Row{
			experiments.NetworkRow("peng", "PENG-CDE", peng, training),
			experiments.BaselineRow("zero", baseline.Zero{}),
		}
		for _, model := range models {
			for _, seed := range scope.SeedsOr(seeds) {
				keys := map[string]string{"matrix": string(matrix)}
				runs = append(runs, experiments.Run{Model: model, Keys: keys, Seed: seed,
					Identity: func() (any, error) {
						all := map[string]any{"data": data, "protocol": published, "row": model.ID,
							"matrix": string(matrix), "seed": seed}
						return all, model.Identity(all)
					}})
			}
		}
	}
	return runs, nil
}

// makeNormalisations makes one run: split, learner, training, scores.
func makeNormalisations(ctx context.Context, m *experiments.RunContext, r experiments.Run) (*experiments.Facts, error) {
	split, err := published.split(r.Seed)
	if err != nil {
		return nil, err
	}
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
	mean := 0.0
	for i, w := range split.Test {
		mse, err := train.MSE(forecasts[i], w.Target())
		if err != nil {
			return facts, err
		}
		mean += mse / float64(len(split.Test))
	}
	facts.Scores = map[string]float64{"test": mean}
	return facts, nil
}

// showNormalisations makes the table: a row for each model, a column for each matrix. Seeds that split one series share
// windows, and the interval counts that.
func showNormalisations(r *experiments.Report) ([]figures.Item, error) {
	split, err := published.split(0)
	if err != nil {
		return nil, err
	}
	ratio := float64(len(split.Test)) / float64(len(split.Train))
	interval := experiments.Interval{Note: "± counts that splits share windows (Nadeau and Bengio 2003).",
		Of: func(errors []float64) (mean, half float64) { return stats.CorrectedCI(errors, ratio) }}
	return []figures.Item{r.Table(experiments.Pivot{Title: "Test error by matrix", Columns: "matrix", Score: "test",
		Better: figures.Lower, Decimals: 3, Interval: interval, Notes: []string{"Mean squared error by region, mean over " +
			"seeds. Training windows may share days with tested ones, which flatters whatever is fitted."}}, r.Results)}, nil
}

func ExampleStudy() {
	folder, err := os.MkdirTemp("", "results")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	os.Setenv(experiments.ResultsEnv, folder)
	defer os.Unsetenv(experiments.ResultsEnv)

	report, err := Normalisations().Run(context.Background(), experiments.Options{Profile: experiments.Quick})
	if err != nil {
		panic(err)
	}
	stored, planned := report.Count()
	fmt.Println(stored, "of", planned, "runs are stored")
	items, err := report.Items()
	if err != nil {
		panic(err)
	}
	table := items[0].(*figures.Table)
	for _, column := range table.Columns[:3] {
		fmt.Println(column.Title)
	}
	// Output:
	// 4 of 4 runs are stored
	// model
	// normalised
	// adjacency
}
