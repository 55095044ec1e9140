package forecast

import (
	"context"
	"fmt"
	"time"

	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// measureGraph trains a candidate on the other graphs, with as many of its seeds as there is time for beside the last
// training, if that follows.
func (f *fitter) measureGraph(ctx context.Context, of *attempt, again bool) error {
	end := f.clock.budget
	if again {
		end -= f.lastTraining(of)
	}
	seeds, needed := 0, time.Duration(0)
	for _, s := range of.Seeds {
		if needed += time.Duration(len(changes)) * duration(s.Report); f.clock.budget > 0 && f.clock.spent()+needed > end {
			break
		}
		seeds++
	}
	f.Graph = &GraphWorth{Model: of.Name}
	var others [][]baseline.Score
	for i, change := range changes {
		a := &attempt{network: of.network, Candidate: Candidate{Name: of.Name + " " + change.name}}
		series := change.of(f.Series)
		if seeds > 0 {
			if f.clock.over(end - f.compiling) {
				return nil
			}
			if err := f.compile(ctx, of.network, of.settings.Config, series); err != nil {
				return err
			}
		}
		for k, with := range of.Seeds[:seeds] {
			c := of.settings.Config
			c.Seed = with.Seed
			if with.Report.Stop == train.StopTime {
				c.Epochs = len(with.Report.Epochs)
			}
			if err := f.seed(ctx, a, c, series, f.clock.until(end, seeds*(len(changes)-i)-k)); diverged(err) {
				f.asked.Notice(fmt.Sprintf("what the graph is worth is not measured: %s: %v", a.Name, err))
				return nil
			} else if err != nil {
				return err
			}
			if a.Seeds[k].Report.Stop == train.StopTime {
				return nil // not measured, since the graph has no part in this difference
			}
		}
		scores, err := f.testedOf(a.later)
		if err != nil {
			return err
		}
		others = append(others, scores)
	}
	if seeds == 0 {
		return nil
	}
	with, err := f.testedOf(of.later[:seeds])
	if err != nil {
		return err
	}
	f.Graph, err = newGraphWorth(of.Name, with, others)
	return err
}

// lastTraining estimates how long the training on all windows takes.
func (f *fitter) lastTraining(a *attempt) time.Duration {
	r := a.Seeds[a.kept()].Report
	return time.Duration(float64(duration(r)) * float64(max(1, r.Best+1)) / float64(len(r.Epochs)) *
		float64(len(f.all)) / float64(len(f.Split.Train)))
}

// duration returns how long the epochs of a training take without compilation, which is in the first.
func duration(r *train.Report) time.Duration {
	seconds := 0.0
	rest := r.Epochs[min(1, len(r.Epochs)-1):]
	for _, e := range rest {
		seconds += e.Seconds / float64(len(rest))
	}
	return time.Duration(seconds * float64(len(r.Epochs)) * float64(time.Second))
}
