// Package stats compares models by their errors.
//
// A table of errors is [blocks][models], lower is better: a block is what all models were tested on under the same
// conditions, such as a data set with a seed. [Friedman] and [AlignedRanks] ask whether the models differ at all and
// then which pairs do; [Wilcoxon] compares two models; [Holm] corrects p values for many comparisons. These tests take
// blocks for independent.
//
// Where values depend on each other an interval must be wider: [CorrectedCI] is for splits that share training data,
// [SerialCI] for windows in order of time, and [MeanCI] for values that are independent. [Compare] takes the differences
// of a model from its rivals with any of these, and corrects the p values.
//
// Numbers that cannot be compared (NaN, infinities, rows of different lengths, one model, one block) are errors that
// wrap [ErrInput] and say which.
//
// Start with [Friedman] for several models over several data sets, and with [Compare] for one model against others on
// one data set.
package stats
