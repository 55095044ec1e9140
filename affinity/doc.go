// Package affinity forecasts how strongly each node of a temporal graph will be drawn to each class: the countries that
// a country will export to, the music that a listener will hear. It holds the protocols, the score, and forecasts
// without a network. Package datasets/tgb reads the data of the Temporal Graph Benchmark (TGB), and package learned
// trains models of pengcde.
//
// [Data] is a stream of events (see [dyngraph.Events]) and labels. The labels at a label time T hold a row y [classes]
// for some nodes. A [Forecaster] returns scores [nodes, classes] for T. Its score is the mean NDCG@10 over nodes
// ([NDCG]), and then over label times. Start with
//
//	data, err := tgb.AgtpaTrade(ctx)
//	plan, err := data.Official(affinity.Strict)
//	report, err := affinity.Evaluate(ctx, plan, &affinity.PersistentForecast{})
//	fmt.Println(plan.Name, report.Mean(affinity.Test))
//
// # Protocols
//
// A [Plan] is a protocol applied to data. Give its name in every table: scores of different plans are not comparable.
//
//	Data.Official   TGB's split in order of time and its loop over batches, in strict or in parity time
//	Data.Rotation   each of the last label times tested by itself, in strict time
//	Data.Windows    the paper's: random windows of snapshots, seeded here
//
// In strict time a forecast for T knows the events before T and the labels before T. A forecaster cannot break this
// rule, since it receives nothing else, and a [Trainer] trains on a plan that ends with the last question before the
// test. In parity time a forecast knows the same as the learned models in TGB's examples; this includes events at T.
//
// # Forecasts
//
//	Zero, Mean, PersistentForecast, MovingAverage     nothing is learned; from labels
//	MessageMean, MessageAverage                       nothing is learned; from events
//	Ridge, LogLinear                                  three or four coefficients for all nodes and classes
//	GatedState                                        two gates with weights for each class
//	learned.Forecaster                                a graph controlled differential equation
//	tgn.Network, tokens.Network                       temporal graph networks
//
// # Limits
//
// Labels of tgbn-genre, tgbn-reddit and tgbn-token summarise events of the days after their time (in tgbn-trade those
// events end with the year of the labels). Labels before T may therefore contain events after T, in strict time too, as
// on the leaderboard. Forecasts of [MessageMean] and [MessageAverage] do not, since they learn only from events.
package affinity
