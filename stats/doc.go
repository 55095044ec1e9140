// Package stats compares models by their errors.
//
// A table of errors is [blocks][models], lower is better. A block is a condition under which all models were tested,
// such as a data set with a seed. [Friedman] and [AlignedRanks] test whether the models differ at all, and then which
// pairs differ. [Wilcoxon] compares two models. [Holm] corrects p values for many comparisons. These tests assume
// independent blocks.
//
// If values depend on each other, intervals must be wider: [CorrectedCI] is for splits that share training data,
// [SerialCI] for windows in order of time, and [MeanCI] for independent values. [Compare] tests the differences between
// a model and its rivals with any of these, and corrects the p values.
//
// Values that cannot be compared (NaN, infinities, rows of different lengths, one model, one block) give an error that
// wraps [ErrInput] and names the fault.
//
// Start with [Friedman] for several models over several data sets, and with [Compare] for one model against others on
// one data set.
package stats
