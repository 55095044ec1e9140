// Package forecast trains a small model on your own series, compares it with simple forecasts, and forecasts
// values that are not known yet, in the unit of the data. The commands pengcde fit and pengcde forecast use it.
//
//	data, err := table.Read(ctx, table.Config{...})
//	fitted, err := forecast.Fit(ctx, backend, data, forecast.Config{})
//	fmt.Println(fitted.Verdict())                 // "ridge is better than PENG-CDE: ..."
//	ahead, err := fitted.Ahead(ctx, data.Series)  // a forecast for each time and target, by node
//	err = fitted.Write(ctx, "cases-forecast")     // model, forecasts, errors and a page with figures
//
// Start with [Fit]. With Config{Model: "auto"} it chooses among models and simple forecasts, and Result.Graph tells
// what the graph is worth. [Load] reads a stored model, and how its data were read, to forecast from newer data.
//
// One model forecasts all targets of a node, at each time up to the horizon. For other models or other splits, use
// packages pengcde and baseline.
package forecast
