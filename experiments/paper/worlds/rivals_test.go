package worlds

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// tiny returns data of 16 nodes, and the rivals made for them.
func tiny(t *testing.T) (*synthetic.Set, map[string]worldModel) {
	t.Helper()
	w := small()
	size := w.size(experiments.Quick)
	size.models, size.epochs = rivalIDs, 3
	set, err := synthetic.Generate(context.Background(), synthetic.Config{Family: catalogue.Families("grid")[0],
		Task:  synthetic.Heat,
		Nodes: 16, Graphs: 2, Amplitude: synthetic.Heat.Amplitude, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	byID := make(map[string]worldModel)
	for _, m := range w.models(size) {
		byID[m.ID] = m
	}
	return set, byID
}

// Training at all times shows no more than training at the training times: the same targets, and between them the
// earlier graph.
func TestTrainedAtAllTimesShowsNoMore(t *testing.T) {
	set, _ := tiny(t)
	for _, asPublished := range []bool{false, true} {
		index := set.TrainingIndex(asPublished)
		some, all := windows(set, set.Train, index), trainedAtAllTimes(set, index)
		for b := range some {
			seen := some[b].Series
			for k, time := range all[b].Series.Times {
				next, trained := slices.BinarySearch(seen.Times, time)
				last, target := next, all[b].Series.Targets[k]
				if !trained {
					last--
				}
				if trained && !slices.Equal(target, seen.Targets[next]) || !trained && !math.IsNaN(target[0]+target[7]) {
					t.Errorf("graph %d, time %d, trained on %t: target %v", b, k, trained, target)
				}
				if !slices.Equal(all[b].Series.Weights[k], seen.Weights[last]) {
					t.Errorf("graph %d, time %d: the graph is not that of training time %d", b, k, last)
				}
			}
			if len(all[b].Series.Times) != observations {
				t.Errorf("%d times, want %d", len(all[b].Series.Times), observations)
			}
		}
	}
}

// Every rival learns, and sees only the first state.
func TestRivalsLearnFromFirstStates(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four networks over 120 observations")
	}
	set, models := tiny(t)
	ctx := context.Background()
	for _, id := range rivalIDs {
		t.Run(id, func(t *testing.T) {
			m := models[id]
			learner, err := m.New(xlatest.Go(t))
			if err != nil {
				t.Fatal(err)
			}
			defer learner.Close()
			training := windows(set, set.Train, set.TrainingIndex(false))
			if m.allTimes {
				training = trainedAtAllTimes(set, set.TrainingIndex(false))
			}
			config := m.Train
			config.Epochs, config.EvaluateEvery, config.BatchSize = 12, -1, 2
			report, err := learner.Fit(ctx, training, nil, config)
			if err != nil {
				t.Fatal(err)
			}
			if first, last := report.Epochs[0].TrainLoss, report.Epochs[11].TrainLoss; !(last < first) {
				t.Errorf("loss %g after 12 epochs, %g at first", last, first)
			}
			tested := windows(set, nil, nil)[:1]
			before, err := learner.Forecast(ctx, tested)
			if err != nil || len(before[0]) != observations*16 {
				t.Fatalf("%d forecasts, %v", len(before[0]), err)
			}
			other := *tested[0].Series
			other.Features = slices.Clone(other.Features)
			for k := 1; k < len(other.Features); k++ {
				other.Features[k] = make([]float64, len(other.Features[k]))
			}
			tested[0].Series = &other
			after, err := learner.Forecast(ctx, tested)
			if err != nil || !slices.Equal(after[0], before[0]) {
				t.Errorf("forecasts know later states (%v)", err)
			}
		})
	}
}

// The rows are in the tables of Table1 and TableWealth with the paper's, and notes name our choices; the study of
// published defects has none.
func TestRivalsInTables(t *testing.T) {
	t.Setenv(experiments.ResultsEnv, t.TempDir())
	for _, c := range []struct {
		study    *Worlds
		dynamics string
		want     []string
	}{
		{Table1(), "heat", []string{"70.39 ± 108.47", "0.554 ± 0.393", "15.480", "11.989 ± 1.090"}},
		{TableWealth(), "opinion", []string{"20.659", "34.855", "2.434", "57.495"}},
		{Table1AsPublished(), "heat", nil},
	} {
		r, err := c.study.Stored(context.Background(), experiments.Options{Fresh: true, Profile: experiments.Medium})
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.study.Table(r, c.dynamics, OnTest).Markdown()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s:\n%s", c.study.Name, want, text)
			}
		}
		noted := strings.Contains(strings.Join(c.study.Notes(r), "\n"), "so the set-up is ours")
		if ours := c.want != nil; noted != ours || strings.Contains(text, "ASTGCN") != ours {
			t.Errorf("%s: rivals with notes %t, want %t:\n%s", c.study.Name, noted, ours, text)
		}
	}
}
