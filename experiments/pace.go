package experiments

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// stage is where a training is: the part that is done, and the seconds that are left of so many in all, NaN where
// they are not known.
type stage struct {
	part, left, whole float64
	epoch, epochs     int
}

// unknown is the stage of a training that has just begun.
var unknown = stage{left: math.NaN(), whole: math.NaN()}

// position is the stage as others read it.
func (s stage) position(text string) Position {
	p := Position{Epoch: s.epoch, Epochs: s.epochs, Part: s.part, Text: text}
	if !math.IsNaN(s.left) {
		p.Left = s.left
	}
	return p
}

// learn takes note of how long a run trained.
func (w *runner) learn(r Result, record *Record) {
	if record.Facts == nil || record.Facts.Training == nil {
		return
	}
	training := record.Facts.Training
	epochs := len(training.TrainLoss) * max(1, len(training.Trials))
	seconds := training.SecondsPerEpoch * float64(epochs) // the median leaves compiling out
	w.known[r.kind()] = append(w.known[r.kind()], seconds)
}

// finish takes a run off the list.
func (w *runner) finish(r Result) {
	w.missing = w.missing.only(func(m Result) bool { return m.slot.name != r.slot.name })
	delete(w.underWay, r.slot.name)
	if !r.Model.Untrained {
		w.trained++
	}
}

// expected is the mean of what is known of the setting, else of the model, also by a training that is under way; NaN
// where nothing is. Another model may take a hundred times as long.
func (w *runner) expected(r Result) (seconds float64) {
	if r.Model.Untrained {
		return 0
	}
	known := w.known[r.kind()]
	for _, m := range w.missing {
		if s, ok := w.underWay[m.slot.name]; ok && known == nil && m.Model.ID == r.Model.ID && !math.IsNaN(s.whole) {
			return s.whole
		}
	}
	return stat.Mean(known, nil)
}

// rest is the number of seconds that the missing runs will take, without compiling; NaN where it is not known. Those
// under way are trained together, or side by side by workers.
func (w *runner) rest() float64 {
	longest, sum, after := 0.0, 0.0, 0.0
	for _, m := range w.missing {
		s, underWay := w.underWay[m.slot.name]
		if !underWay {
			after += w.expected(m)
			continue
		}
		left := s.left
		if math.IsNaN(left) {
			left = w.expected(m)
		}
		longest, sum = math.Max(longest, left), sum+left
	}
	if jobs := w.options.Jobs; jobs > 1 {
		return math.Max(longest, (sum+after)/float64(jobs))
	}
	return longest + after
}

// report says what a run is at.
func (w *runner) report(r Result, s stage, text string) {
	w.underWay[r.slot.name] = s
	if claim := w.held[r.slot.name]; claim != nil {
		claim.say(s.position(text))
	}
	if w.options.heard != nil {
		w.options.heard(r.slot.name, s, text)
	}
	w.progress(fmt.Sprintf("%v: %s; %d to do", r, text, len(w.missing)))
}

// progress says how much of all is done.
func (w *runner) progress(text string) {
	if w.options.Progress == nil {
		return
	}
	done, all := float64(w.trained), float64(w.trained)
	for _, m := range w.missing {
		if !m.Model.Untrained {
			done += w.underWay[m.slot.name].part
			all++
		}
	}
	left := time.Duration(0)
	if rest := w.rest(); !math.IsNaN(rest) {
		left = time.Duration(rest * float64(time.Second))
	}
	w.options.Progress(done/all, left, text)
}

// epoch reports that one is done.
func (w *runner) epoch(r Result, p train.Progress) {
	s := unknown
	s.epoch, s.epochs = p.Epoch, p.Epochs
	s.part = float64(p.Epoch) / float64(p.Epochs)
	if rest := 1 - s.part; p.Left > 0 && rest > 0 {
		s.left, s.whole = p.Left.Seconds(), p.Left.Seconds()/rest
	} else if rest == 0 {
		s.left = 0
	}
	w.report(r, s, fmt.Sprintf("epoch %d/%d, loss %.3g", p.Epoch, p.Epochs, p.TrainLoss))
}
