// Package forecast trains a small PENG-CDE on the user's series, tells how it does beside simple forecasts, and
// forecasts values not known yet, in the unit of the data, as the commands pengcde fit and pengcde forecast do.
//
//	data, err := table.Read(ctx, table.Config{...})
//	fitted, err := forecast.Fit(ctx, backend, data, forecast.Config{})
//	fmt.Println(fitted.Verdict())                 // "ridge is better than PENG-CDE: ..."
//	ahead, err := fitted.Ahead(ctx, data.Series)  // [time][node]
//	err = fitted.Write(ctx, "cases-forecast")     // model, forecasts, errors and a page with figures
//
// Start with [Fit]. [Load] reads a model again, with how its data were read, for newer data.
//
// A series has one target a node. For several targets, other models or other splits, use packages pengcde and baseline.
package forecast
