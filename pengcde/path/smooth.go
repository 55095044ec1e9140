package path

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Smoothing selects how [Smoothing.Apply] takes noise out of observations. A path goes through each observation, so
// without it the derivative of the path is mostly noise where observations are dense. "" is [NoSmoothing].
type Smoothing string

const (
	// NoSmoothing keeps the observations.
	NoSmoothing Smoothing = ""
	// LocalLines replaces each observation by the value of a line at its time. The line is fitted to the nearest
	// observations, by least squares with tricube weights (Cleveland 1979). Their number is chosen for each feature, over
	// all nodes, by the squared error of lines that leave out the observation they estimate. The observations stay as they
	// are where no number beats the line between the two neighbours.
	LocalLines Smoothing = "local lines"
)

// Check returns an error for an unknown smoothing.
func (s Smoothing) Check() error { return check("smoothing", s, []Smoothing{NoSmoothing, LocalLines}) }

// Apply returns the features [T][n*p] of n nodes, row-major by node, at the knots [T], without noise. NaN, a missing
// value, stays missing. Values at a knot depend on later observations too. The input is not changed.
//
// Errors wrap [ErrValues] or [ErrKnots], like errors of [Fill].
func (s Smoothing) Apply(knots []float64, features [][]float64, nodes int) ([][]float64, error) {
	if err := s.Check(); err != nil || s == NoSmoothing {
		return features, err
	}
	if err := CheckKnots(knots); err != nil {
		return nil, err
	}
	p, _, err := checkFeatures(knots, features, nodes)
	if err != nil {
		return nil, err
	}
	smooth := make([][]float64, len(knots))
	for k, row := range features {
		smooth[k] = slices.Clone(row)
	}
	for feature := range p {
		smoothFeature(knots, features, smooth, feature, p)
	}
	return smooth, nil
}

// channel is one feature of one node where it was observed.
type channel struct {
	column        int
	seen          []int // knots
	times, values []float64
}

// smoothFeature writes one feature of all nodes.
func smoothFeature(knots []float64, features, smooth [][]float64, feature, p int) {
	var channels []channel
	for column := feature; column < len(features[0]); column += p {
		c := channel{column: column}
		for k, row := range features {
			if x := row[column]; !math.IsNaN(x) {
				c.seen, c.times, c.values = append(c.seen, k), append(c.times, knots[k]), append(c.values, x)
			}
		}
		channels = append(channels, c)
	}
	// The first span has the line between the neighbours where an observation is left out, as without smoothing.
	chosen, least := 0, math.Inf(1)
	for _, span := range spans(len(knots)) {
		total, lines := 0.0, localLines{span: span}
		for _, c := range channels {
			for i, residual := range lines.residuals(c) {
				if others := 1 - lines.weights[i].own; others > leastOthers {
					total += math.Pow(residual/others, 2)
				}
			}
		}
		if chosen == 0 || total < least {
			chosen, least = span, total
		}
	}
	if chosen == smallestSpan {
		return
	}
	lines := localLines{span: chosen}
	for _, c := range channels {
		for i, residual := range lines.residuals(c) {
			smooth[c.seen[i]][c.column] -= residual
		}
	}
}

// smallestSpan is an observation with its two neighbours. Where the other weights together are below leastOthers, since
// two times are almost equal, a line without the observation is not determined.
const (
	smallestSpan = 3
	leastOthers  = 1e-9
)

// spans lists the odd numbers of observations of a line that are tried, each about half as many again. The last are
// many times the number of knots, which makes all lines the same.
func spans(count int) (all []int) {
	for span := smallestSpan; span < 64*count; span += 2 * ((span + 2) / 4) {
		all = append(all, span)
	}
	return all
}

// localLines fits lines to the nearest span observations.
type localLines struct {
	span    int
	times   []float64 // the observations that weights belong to
	weights []weights // of the line at each observation
}

// weights are the weights of the observations from an index on, and of the observation that the line is at.
type weights struct {
	from int
	all  []float64
	own  float64
}

// residuals returns the differences of a channel's values from the lines. They are exactly 0 for equal values.
func (l *localLines) residuals(c channel) []float64 {
	if len(c.values) < smallestSpan {
		return nil
	}
	if l.weights == nil || !slices.Equal(l.times, c.times) {
		l.times, l.weights = c.times, nil
		for i := range c.times {
			l.weights = append(l.weights, lineWeights(c.times, i, l.span))
		}
	}
	residuals := make([]float64, len(c.values))
	for i, w := range l.weights {
		for j, weight := range w.all {
			residuals[i] -= weight * (c.values[w.from+j] - c.values[i])
		}
	}
	return residuals
}

// lineWeights returns the weights of the line at observation i, through span observations around it.
func lineWeights(times []float64, i, span int) weights {
	count := len(times)
	from := max(0, min(i-span/2, count-span))
	near := times[from:min(from+span, count)]
	width := max(times[i]-near[0], near[len(near)-1]-times[i]) * (1 + 1/float64(span))
	width *= max(1, float64(span)/float64(count)) // a span beyond the observations makes weights more equal
	all := make([]float64, len(near))
	for j, t := range near {
		all[j] = math.Pow(1-math.Pow(math.Abs(t-times[i])/width, 3), 3)
	}
	floats.Scale(1/floats.Sum(all), all)
	mean, spread := floats.Dot(all, near), 0.0
	for j, t := range near {
		spread += all[j] * (t - mean) * (t - mean)
	}
	for j, t := range near {
		all[j] *= 1 + (times[i]-mean)*(t-mean)/spread
	}
	return weights{from, all, all[i-from]}
}
