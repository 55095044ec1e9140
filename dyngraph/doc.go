// Package dyngraph holds graphs that change in time: nodes, snapshots as sparse edges on one union pattern, node
// features, targets, and the windows that models train on. It is the lowest room of the module and knows nothing of
// models.
package dyngraph
