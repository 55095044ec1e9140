// Package train fits parameters: AdamW, epochs with early stopping on validation, error measures and statistics.
//
// Start with [Fit]. What is trained is a [Problem]: anything that gives a loss and its gradient, so this package
// knows neither models nor solvers.
package train
