package dyngraph_test

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// A series of your own: edges in any order, with their weights on each day.
func ExampleNewPattern() {
	// Edges run from a node to another, both counted from 0.
	from, to := []int{2, 0, 1}, []int{0, 1, 2}
	days := [][]float64{{5, 1, 3}, {4, 0, 3}, {6, 2, 2}, {5, 1, 1}} // [day][edge], 0 where a day lacks the edge
	pattern, index, err := dyngraph.NewPattern(3, from, to)
	if err != nil {
		fmt.Println(err)
		return
	}
	series := &dyngraph.Series{Name: "trade", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	for day, weights := range days {
		row := make([]float64, pattern.Edges())
		for k, w := range weights {
			row[index[k]] += w // the pattern is sorted: index says where each edge went
		}
		series.Times = append(series.Times, float64(day))
		series.Weights = append(series.Weights, row)
		series.Features = append(series.Features, []float64{0.1, -0.3, 0.2}) // one for each node, of order 1
		series.Targets = append(series.Targets, []float64{0.2, -0.1, 0.4})
	}
	windows, err := series.Windows(3, 1).List() // two inputs and the target
	fmt.Println(len(windows), "windows,", err)
	fmt.Println(series.Weights[0])
	// Output:
	// 2 windows, <nil>
	// [1 3 5]
}

// Accounts that open and close: the first pays the second, which opens on day 1 and closes on day 3.
func ExampleSeries_WithPresence() {
	pattern, _, err := dyngraph.NewPattern(2, []int{0, 0}, []int{0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	series := &dyngraph.Series{Name: "bank", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	for day := range 4 {
		balances := []float64{1, 0.5 * float64(day)}
		series.Times, series.Weights = append(series.Times, float64(day)), append(series.Weights, []float64{1, 2})
		series.Features, series.Targets = append(series.Features, balances), append(series.Targets, balances)
	}
	series, err = series.WithPresence([][]bool{{true, false}, {true, true}, {true, true}, {true, false}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(series.Weights)
	fmt.Println(series.Targets)
	window := dyngraph.Window{Series: series, Length: 2} // sees day 0, before the second opens
	fmt.Println(window.Target(), window.Present(0))
	// Output:
	// [[1 0] [1 2] [1 2] [1 0]]
	// [[1 NaN] [1 0.5] [1 1] [1 NaN]]
	// [1 NaN] [true false]
}
