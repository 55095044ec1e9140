package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// Choice tells among which forecasts [Fit] chose the model. Their errors on validation windows decided; the tested
// windows had no part in it.
type Choice struct {
	// Windows is the number of validation windows.
	Windows int
	// Candidates are in order of their validation errors, except that the model is the first: a network only if it is
	// shown to be better there than the best simple forecast, or, if the windows are too few for an interval, has a lower
	// error in every one of at least six and a third less in the mean.
	Candidates []Candidate
	// Budget bounded the time of the trainings; 0 for no bound.
	Budget time.Duration
}

// Candidate is a forecast that could be chosen: a network, or a simple forecast, which has no Seeds.
type Candidate struct {
	Name string
	// Validation is the mean squared error on the validation windows, of a network the mean over its seeds. The windows
	// also ended the trainings, and chose the penalty of one ridge.
	Validation float64
	// Seeds are the trainings.
	Seeds []Training
	// Score is the score on the tested windows, of a network with the seed that has the lowest validation error.
	Score baseline.Score
	// Err tells why there is no forecast; the other fields but Name are then empty.
	Err error

	before baseline.Score // on the validation windows, of a network the mean over seeds, which has no forecasts
}

// Training is the training of a candidate with a seed.
type Training struct {
	Seed uint64
	// Validation is the mean squared error on the validation windows.
	Validation float64
	Report     *train.Report
}

// kept returns the index of the seed with the lowest validation error.
func (c Candidate) kept() int {
	least := 0
	for i, s := range c.Seeds {
		if s.Validation < c.Seeds[least].Validation {
			least = i
		}
	}
	return least
}

// sort orders the candidates by their validation errors, those without a forecast last. If a network is the first and
// its lead over the best simple forecast may be chance, that forecast goes before it.
func (c *Choice) sort() {
	slices.SortStableFunc(c.Candidates, func(a, b Candidate) int {
		failed := func(c Candidate) int {
			if c.Err != nil {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(failed(a), failed(b)), cmp.Compare(a.Validation, b.Validation))
	})
	simple := slices.IndexFunc(c.Candidates, func(c Candidate) bool { return c.Err == nil && c.Seeds == nil })
	if simple > 0 && !leads(c.Candidates[0].before, c.Candidates[simple].before) {
		best := c.Candidates[simple]
		c.Candidates = slices.Insert(slices.Delete(c.Candidates, simple, simple+1), 0, best)
	}
}

// fewestWindows is the smallest number of windows in which a network leads without an interval, and mostOf how much of
// the simple forecast's error it may then have. Windows that share steps often agree, so agreement alone would be no
// evidence; a network much better in each is kept.
const (
	fewestWindows = 6
	mostOf        = 2.0 / 3
)

// leads tells whether a network is better than a simple forecast by more than chance, or, if windows are too few for an
// interval, much better in the mean and better in every one.
func leads(network, simple baseline.Score) bool {
	outcome := stats.OutcomeOf(network.Minus(simple))
	if outcome != stats.NotTested {
		return outcome == stats.Better
	}
	observed, own, other := 0, 0.0, 0.0
	for i, mse := range network.Errors {
		switch {
		case math.IsNaN(mse):
			continue
		case mse >= simple.Errors[i]:
			return false
		}
		observed, own, other = observed+1, own+mse, other+simple.Errors[i]
	}
	return observed >= fewestWindows && own <= mostOf*other
}

// best returns the best candidate of a kind, networks or simple forecasts, on the validation windows.
func (c *Choice) best(network bool) (Candidate, bool) {
	i := slices.IndexFunc(c.Candidates, func(c Candidate) bool { return c.Err == nil && (c.Seeds != nil) == network })
	if i < 0 {
		return Candidate{}, false
	}
	return c.Candidates[i], true
}

// String states the choice in one sentence.
func (c *Choice) String() string {
	chosen := c.Candidates[0]
	other, ok := c.best(chosen.Seeds == nil)
	if ok && other.Validation < chosen.Validation {
		return fmt.Sprintf("%s is the model, with an error of %s on the %s: %s has %s there, a difference that may be "+
			"chance, so the simple forecast is kept.", plain.Capital(chosen.Name), digits(chosen.Validation),
			plain.Count(c.Windows, "validation window"), other.Name, digits(other.Validation))
	}
	text := fmt.Sprintf("%s has the lowest error on the %s, %s", plain.Capital(chosen.Name),
		plain.Count(c.Windows, "validation window"), digits(chosen.Validation))
	if len(chosen.Seeds) > 1 {
		text += fmt.Sprintf(" in the mean of %d seeds, of which seed %d is kept", len(chosen.Seeds),
			chosen.Seeds[chosen.kept()].Seed)
	}
	if ok {
		kind := "simple forecast"
		if other.Seeds != nil {
			kind = "trained model"
		}
		text += fmt.Sprintf("; the best %s there is %s, %s, ", kind, other.Name, digits(other.Validation))
		switch stats.OutcomeOf(chosen.before.Minus(other.before)) {
		case stats.NotTested:
			if chosen.Seeds == nil {
				return text + "with too few windows to tell whether that is chance."
			}
			return text + "a higher error in every window; the windows are too few, or share too much, for an interval."
		case stats.NotShown:
			return text + "a difference that may be chance."
		}
		text += "a difference more than chance would give"
	}
	return text + "."
}

// table shows the candidates and what each was trained.
func (c *Choice) table() *figures.Table {
	t := &figures.Table{Title: "The choice, on " + plain.Count(c.Windows, "validation window"),
		Columns: []figures.Column{{Title: "forecast"}, {Title: "mean squared error", Better: figures.Lower, Decimals: 3},
			{Title: "lowest seed", Decimals: 3}, {Title: "epochs"}}}
	limited := false
	for _, one := range c.Candidates {
		if one.Err != nil {
			t.Rows = append(t.Rows, []figures.Cell{figures.Text(one.Name), figures.NoResult("failed")})
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %v.", one.Name, one.Err))
			continue
		}
		row := []figures.Cell{figures.Text(one.Name), figures.Number(one.Validation)}
		if one.Seeds != nil {
			var epochs []string
			for _, s := range one.Seeds {
				mark := ""
				if s.Report.Stop == train.StopTime {
					mark, limited = "*", true
				}
				epochs = append(epochs, fmt.Sprintf("%d%s", len(s.Report.Epochs), mark))
			}
			row = append(row, figures.Number(one.Seeds[one.kept()].Validation), figures.Text(strings.Join(epochs, ", ")))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append(t.Notes, "The lowest mean squared error on the validation windows decides, for trained models the "+
		"mean over seeds. A trained model must be better than the best simple forecast by more than chance, since the same "+
		"windows ended its training; if they are too few for an interval, in each of at least six, and by a third in the "+
		"mean.")
	if limited {
		t.Notes = append(t.Notes, "Epochs*: ended by the share of the budget.")
	}
	return t
}

// label tells the settings of a candidate from those that it varies.
func (c candidate) label(name string) string {
	if c.variant != "" {
		name += ", " + c.variant
	}
	return name
}

// candidate is a configuration of a model to train.
type candidate struct {
	Config
	variant string // which setting Search changed
}

// candidates returns what to train: the one model that is named, or those to choose from. Each has the same share of
// the budget. Training without edges and training with shuffled edges have one too; the last training, on all windows,
// has the share of two seeds.
func (c Config) candidates() (all []candidate) {
	one := candidate{Config: c}
	if c.Model == "auto" {
		for _, name := range []string{"affine", "affine", "gn-ode", "dcrnn"} {
			one.Linear = len(all) == 1
			one.Model = name
			all = append(all, one)
		}
	} else {
		all = append(all, one)
	}
	if c.Search {
		for _, base := range slices.Clone(all) {
			wide, deep, fast := base, base, base
			wide.Hidden, wide.variant = 2*c.Hidden, fmt.Sprintf("width %d", 2*c.Hidden)
			deep.Layers, deep.variant = c.Layers+1, fmt.Sprintf("%d layers", c.Layers+1)
			fast.LearningRate, fast.variant = 2*c.LearningRate, fmt.Sprintf("learning rate %g", 2*c.LearningRate)
			all = append(all, wide, deep, fast)
		}
	}
	shares := float64(len(all)) + 2/float64(c.Seeds)
	if c.Graph {
		shares += float64(len(changes))
	}
	for i := range all {
		all[i].share = time.Duration(float64(c.Budget) / shares)
	}
	return all
}

// clock divides a budget.
type clock struct {
	budget  time.Duration // 0 for no bound
	began   time.Time
	earlier time.Duration // that an earlier, interrupted call took
	left    time.Duration // sum of the shares that have not begun
}

func (c *clock) spent() time.Duration { return time.Since(c.began) + c.earlier }

// begin returns the time at which a share ends, sooner if earlier ones took longer than theirs.
func (c *clock) begin(share time.Duration) (end time.Duration) {
	spent := c.spent()
	rest := float64(c.budget-spent) / math.Max(1, float64(c.left))
	c.left -= share
	return spent + time.Duration(float64(share)*max(0, min(1, rest)))
}

// over reports whether a share has ended.
func (c *clock) over(end time.Duration) bool { return c.budget > 0 && c.spent() >= end }

// until returns the limit of one of so many equally long trainings until an end.
func (c *clock) until(end time.Duration, trainings int) time.Duration {
	if c.budget == 0 {
		return 0
	}
	return max(1, (end-c.spent())/time.Duration(trainings))
}
