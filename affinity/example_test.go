package affinity_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func ExampleNDCG() {
	shares := []float64{0.1, 0.6, 0.3} // what a country exports to three others
	perfect, err := affinity.NDCG(shares, []float64{1, 3, 2}, affinity.TopK)
	if err != nil {
		log.Fatal(err)
	}
	nothing, err := affinity.NDCG(shares, []float64{0, 0, 0}, affinity.TopK) // ties share their mean
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f %.3f\n", perfect, nothing)
	// Output: 1.000 0.846
}

// Each of the last years is forecast from those before it.
func ExampleData_Rotation() {
	ctx := context.Background()
	data, err := tgb.AgtpaTrade(ctx)
	if err != nil {
		log.Fatal(err)
	}
	plans, err := data.Rotation(3, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, plan := range plans {
		for _, forecaster := range []affinity.Forecaster{&affinity.PersistentForecast{}, &affinity.MovingAverage{}} {
			report, err := affinity.Evaluate(ctx, plan, forecaster, affinity.Test)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%g %T %.4f\n", report.Scores[0].Time, forecaster, report.Mean(affinity.Test))
		}
	}
	// Output:
	// 2004 *affinity.PersistentForecast 0.9730
	// 2004 *affinity.MovingAverage 0.9517
	// 2005 *affinity.PersistentForecast 0.9744
	// 2005 *affinity.MovingAverage 0.9546
	// 2006 *affinity.PersistentForecast 0.9784
	// 2006 *affinity.MovingAverage 0.9557
}

func ExampleData_Windows() {
	ctx := context.Background()
	data, err := tgb.AgtpaTrade(ctx)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := data.Windows(ctx, affinity.WindowConfig{Length: 3, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	report, err := affinity.Evaluate(ctx, plan, &affinity.PersistentForecast{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Name)
	for _, score := range report.Scores {
		fmt.Printf("%g %s %.3f\n", score.Time, score.Part, score.NDCG)
	}
	// Output:
	// agtpa-trade, random windows of 3 snapshots, seed 1
	// 1991 train 0.962
	// 2003 train 0.978
	// 1988 train 0.972
	// 1994 train 0.979
	// 2000 validation 0.980
	// 1997 test 0.975
	// 2006 test 0.978
}

// largest is a forecaster of one's own: every country will export most to whoever imported most last year.
type largest struct{ imports []float64 }

func (l *largest) Reset(task affinity.Task) { l.imports = make([]float64, task.Classes) }

func (l *largest) Observe([]dyngraph.Event) error { return nil }

func (l *largest) Learn(labels affinity.Labels) error {
	clear(l.imports)
	for i, country := range labels.Classes {
		l.imports[country] += labels.Values[i]
	}
	return nil
}

func (l *largest) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	for row := range slices.Chunk(scores, len(l.imports)) {
		copy(row, l.imports)
	}
	return nil
}

func ExampleForecaster() {
	ctx := context.Background()
	data, err := tgb.AgtpaTrade(ctx)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		log.Fatal(err)
	}
	report, err := affinity.Evaluate(ctx, plan, &largest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.4f\n", report.Plan, report.Mean(affinity.Test))
	// Output: agtpa-trade, official protocol, strict time: 0.7194
}
