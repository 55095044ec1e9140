package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Results is a list of runs with their records.
type Results []Result

// only returns the results that fit.
func (r Results) only(fits func(Result) bool) (some Results) {
	for _, result := range r {
		if fits(result) {
			some = append(some, result)
		}
	}
	return some
}

// Where returns the results with this value of a key; the key "model" selects by the model's ID.
func (r Results) Where(key, value string) Results {
	return r.only(func(result Result) bool { return result.Key(key) == value })
}

// Values returns the values of a key, in the order of the results.
func (r Results) Values(key string) (values []string) {
	for _, result := range r {
		if value := result.Key(key); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// Made returns the results with facts, including diverged ones.
func (r Results) Made() Results { return r.only(Result.made) }

// Finished returns the results with facts that did not diverge.
func (r Results) Finished() Results {
	return r.only(func(result Result) bool { return result.made() && result.Facts().Failure == "" })
}

// failed returns the results whose run ended with an error other than divergence.
func (r Results) failed() Results {
	return r.only(func(result Result) bool { return result.Record != nil && result.Record.Error != "" })
}

// Stale returns the number of runs that are stored only in another [Generation].
func (r Results) Stale() int { return len(r.only(func(result Result) bool { return result.Stale })) }

func (r Result) made() bool { return r.Record != nil && r.Record.Facts != nil }

// Facts returns the facts of a result that [Results.Made] or [Results.Finished] returned.
func (r Result) Facts() *Facts { return r.Record.Facts }

// Gap describes why a mean over the results would mislead; "" when all are stored and none diverged.
func (r Results) Gap() string {
	failed, made := len(r.failed()), len(r.Made())
	var gaps []string
	for _, gap := range []struct {
		what  string
		count int
	}{{"error", failed}, {"stale", r.Stale()}, {"missing", len(r) - made - failed - r.Stale()},
		{"diverged", made - len(r.Finished())}} {
		if gap.count > 0 {
			gaps = append(gaps, fmt.Sprintf("%s, %d of %d", gap.what, gap.count, len(r)))
		}
	}
	return strings.Join(gaps, "; ")
}

// Scores returns the score of that name of each run; NaN for a run without it.
func (r Results) Scores(name string) []float64 {
	values := make([]float64, len(r))
	for i, result := range r {
		values[i] = math.NaN()
		if result.made() {
			if score, ok := result.Facts().Scores[name]; ok {
				values[i] = score
			}
		}
	}
	return values
}

// Matrix holds the scores of models on blocks, as rank statistics need them.
type Matrix struct {
	// Blocks name the units on which models are compared, such as the seeds of every world.
	Blocks, Models []string
	// Values are indexed by block and model; NaN if a run is missing, diverged or has no such score.
	Values [][]float64
}

// Matrix returns the scores with one block for each combination of keys, seed and fold.
func (r Results) Matrix(score string) Matrix {
	m := Matrix{Models: r.Values("model")}
	for _, result := range r {
		block := result.block()
		i := slices.Index(m.Blocks, block)
		if i < 0 {
			i = len(m.Blocks)
			m.Blocks = append(m.Blocks, block)
			m.Values = append(m.Values, slices.Repeat([]float64{math.NaN()}, len(m.Models)))
		}
		m.Values[i][slices.Index(m.Models, result.Model.ID)] = Results{result}.Scores(score)[0]
	}
	return m
}
