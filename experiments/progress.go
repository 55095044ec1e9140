package experiments

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// learn records how long a run trained.
func (w *runner) learn(r Result, record *Record) {
	if record.Facts == nil || record.Facts.Training == nil {
		return
	}
	w.known.add(r.Run, func(seconds []float64) []float64 { return append(seconds, record.Cost()) })
}

// finish removes a run from the list.
func (w *runner) finish(r Result) {
	w.missing = w.missing.only(func(m Result) bool { return m.slot.Name() != r.slot.Name() })
	delete(w.underWay, r.slot.Name())
	if !r.Model.Untrained {
		w.trained++
	}
}

// finished returns the mean time of finished trainings of the same model and keys, else of the same model; NaN without
// any. Other models are not used: one may take a hundred times as long.
func (w *runner) finished(r Result) (seconds float64) {
	return stat.Mean(w.known.of(r.Run), nil)
}

// expected returns the mean time of finished trainings, else an estimate from the training of the model that is under
// way; NaN if neither exists.
func (w *runner) expected(r Result) (seconds float64) {
	if r.Model.Untrained {
		return 0
	}
	seconds = w.finished(r)
	for _, m := range w.missing {
		if at := w.underWay[m.slot.Name()]; math.IsNaN(seconds) && m.Model.ID == r.Model.ID && at.Left > 0 {
			return at.Left / (1 - at.Part)
		}
	}
	return seconds
}

// rest returns the number of seconds that the missing runs will take, without compiling; NaN if unknown. Runs under
// way are trained together in one program, or in parallel by workers.
func (w *runner) rest() float64 {
	longest, sum, after := 0.0, 0.0, 0.0
	for _, m := range w.missing {
		at, underWay := w.underWay[m.slot.Name()]
		if !underWay {
			after += w.expected(m)
			continue
		}
		left := at.Left // for all epochs, which early stopping seldom lets it make
		if left == 0 && at.Part < 1 {
			left = w.expected(m)
		} else if mean := w.finished(m); mean < left {
			left = mean
		}
		longest, sum = math.Max(longest, left), sum+left
	}
	if jobs := w.options.Jobs; jobs > 1 {
		return math.Max(longest, (sum+after)/float64(jobs))
	}
	return longest + after
}

// report shows how far a run is.
func (w *runner) report(r Result, at Position) {
	w.underWay[r.slot.Name()] = at
	if lease := w.held[r.slot.Name()]; lease != nil {
		lease.Say(at)
	}
	w.progress(fmt.Sprintf("%v: %s; %d to do", r, at.Text, len(w.missing)))
}

// progress shows the completed fraction of all runs.
func (w *runner) progress(text string) {
	done, all := float64(w.trained), float64(w.trained)
	for _, m := range w.missing {
		if !m.Model.Untrained {
			part := w.underWay[m.slot.Name()].Part
			done += part
			all++
			w.advanced = w.advanced || part > 0
		}
	}
	if w.advanced && w.options.Advanced != nil {
		w.options.Advanced()
	}
	if w.options.Progress == nil {
		return
	}
	left := time.Duration(0)
	if rest := w.rest(); !math.IsNaN(rest) {
		left = time.Duration(rest * float64(time.Second))
	}
	w.options.Progress(done/all, left, text)
}

// epoch reports that an epoch is done.
func (w *runner) epoch(r Result, p train.Progress) {
	w.report(r, Position{Epoch: p.Epoch, Epochs: p.Epochs, Part: float64(p.Epoch) / float64(p.Epochs),
		Left: p.Left.Seconds(), Text: fmt.Sprintf("epoch %d/%d, loss %.3g", p.Epoch, p.Epochs, p.TrainLoss)})
}
