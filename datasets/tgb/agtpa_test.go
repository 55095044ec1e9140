package tgb_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
)

func agtpa(t testing.TB) *tgb.Data {
	t.Helper()
	data, err := tgb.AgtpaTrade(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The figures that version 2.3.0 of TGB gives: its loader, its loop and its evaluator. Five digits of them are known;
// the figure of the moving average on validation is .9551529 by the same loop over scikit-learn's ndcg_score.
func TestAgtpaTradeOfficial(t *testing.T) {
	data := agtpa(t)
	if data.EventCount() != 90057 || data.EdgeFile.Rows != 90057 || data.LabelFile.Rows != 86204 || data.Nodes != 69 ||
		data.Classes != 69 {
		t.Errorf("%d events, %d and %d rows, %d nodes", data.EventCount(), data.EdgeFile.Rows, data.LabelFile.Rows,
			data.Nodes)
	}
	for _, clock := range []affinity.Clock{affinity.Strict, affinity.Parity} {
		plan, err := data.Official(clock)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			forecaster affinity.Forecaster
			want       map[affinity.Part]float64
		}{
			{&affinity.PersistentForecast{}, map[affinity.Part]float64{affinity.Train: .91327, affinity.Validation: .97719,
				affinity.Test: .97372}},
			{&affinity.MovingAverage{}, map[affinity.Part]float64{affinity.Train: .89952, affinity.Validation: .95516,
				affinity.Test: .95312}},
		} {
			report, err := affinity.Evaluate(context.Background(), plan, c.forecaster)
			if err != nil {
				t.Fatal(err)
			}
			for part, want := range c.want {
				if got := report.Mean(part); !(math.Abs(got-want) < 1e-5) {
					t.Errorf("%s: %T, %s: %.6f, want %.5f", plan.Name, c.forecaster, part, got, want)
				}
			}
			first, last := report.Scores[0], report.Scores[len(report.Scores)-1]
			if first.Time != 1987 || last.Time != 2005 || last.Part != affinity.Test {
				t.Errorf("%s: from %g to %g", plan.Name, first.Time, last.Time)
			}
		}
	}
}

// Each of the last years tested by itself.
func TestAgtpaTradeRotation(t *testing.T) {
	plans, err := agtpa(t).Rotation(4, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		forecaster affinity.Forecaster
		want       []float64 // 2003 to 2006
	}{
		{&affinity.PersistentForecast{}, []float64{.9783, .9730, .9744, .9784}},
		{&affinity.MovingAverage{}, []float64{.9552, .9517, .9546, .9557}},
	} {
		for i, plan := range plans {
			report, err := affinity.Evaluate(context.Background(), plan, c.forecaster)
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Mean(affinity.Test); !(math.Abs(got-c.want[i]) < .5e-4) {
				t.Errorf("%T in %d: %.5f, want %.4f", c.forecaster, 2003+i, got, c.want[i])
			}
		}
	}
}

// Open a data set, look at it, see it as snapshots, and score a forecast.
func ExampleAgtpaTrade() {
	ctx := context.Background()
	data, err := tgb.AgtpaTrade(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.EventCount(), "events among", data.Nodes, "countries:", data.NodeNames[:3])
	fmt.Println("labels of", data.LabelTimes[0], "to", data.LabelTimes[len(data.LabelTimes)-1])

	series, err := data.Series(ctx) // a snapshot for each year
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(series.Times), "snapshots,", series.Pattern.Edges(), "edges in any of them")

	plan, err := data.Official(affinity.Strict)
	if err != nil {
		log.Fatal(err)
	}
	report, err := affinity.Evaluate(ctx, plan, &affinity.PersistentForecast{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: test NDCG@10 %.5f\n", report.Plan, report.Mean(affinity.Test))
	// Output:
	// 90057 events among 69 countries: [ARG AUS AUT]
	// labels of 1987 to 2006
	// 21 snapshots, 4679 edges in any of them
	// agtpa-trade, official protocol, strict time: test NDCG@10 0.97372
}
