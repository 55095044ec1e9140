// Package stats compares models by their errors: rank tests over several models, paired comparisons of two,
// corrections for many comparisons, and confidence intervals that count dependence.
//
// Start with [MeanCI] for values that are independent, [CorrectedCI] for splits that share training data and
// [SerialCI] for windows in order of time.
package stats
