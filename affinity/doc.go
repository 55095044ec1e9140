// Package affinity forecasts how strongly each node of a temporal graph will be drawn to each class: what a country
// will export where, what a listener will hear. It holds the protocols, the score, and forecasts without a network;
// datasets/tgb reads the data of the Temporal Graph Benchmark (TGB), and package learned trains models of pengcde.
//
// [Data] are a stream of events (see [dyngraph.Events]) and labels: at label time T, the row y [classes] of each node
// that has one. A [Forecaster] gives scores [nodes, classes] for T; the score is the mean NDCG@10 over nodes ([NDCG]),
// and then over label times. Start with
//
//	data, err := tgb.AgtpaTrade(ctx)
//	plan, err := data.Official(affinity.Strict)
//	report, err := affinity.Evaluate(ctx, plan, &affinity.PersistentForecast{})
//	fmt.Println(plan.Name, report.Mean(affinity.Test))
//
// # Protocols
//
// A [Plan] is a protocol applied to data. Its name belongs into every table: scores of different plans do not compare.
//
//	Data.Official   TGB's split in order of time and its loop over batches, in strict or in parity time
//	Data.Rotation   each of the last label times tested by itself, in strict time
//	Data.Windows    the paper's: random windows of snapshots, seeded here
//
// In strict time a forecast for T knows the events before T and the labels before T. A forecaster cannot break this: it
// is told of nothing else, and a [Trainer] is trained on a plan that ends with the last question before the test.
// Parity is what learned models in TGB's examples know; it lets them see events at T.
//
// # Forecasts
//
//	Zero, Mean, PersistentForecast, MovingAverage     nothing is learned; from labels
//	MessageMean, MessageAverage                       nothing is learned; from events
//	Ridge, LogLinear                                  three or four coefficients for all nodes and classes
//	GatedState                                        two gates with weights for each class
//	learned.Forecaster                                a graph controlled differential equation
//
// # Limits
//
// Labels of tgbn-genre, tgbn-reddit and tgbn-token summarise events of the days after their time (in tgbn-trade those
// events end with the year of the labels). So labels before T may hold what happened after T, in strict time too, as on
// the leaderboard. Forecasts of [MessageMean] and [MessageAverage], which learn from events alone, do not.
package affinity
