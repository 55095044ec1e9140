package table_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/peng-cde/pengcde-go/datasets/table"
)

// Two files as a spreadsheet writes them: who travelled from where to where, and the cases to forecast.
func ExampleRead() {
	data, err := table.Read(context.Background(), table.Config{
		Edges: table.Edges{Path: "testdata/flows.csv", Time: "day", From: "from", To: "to", Weight: "people"},
		Nodes: table.Nodes{Path: "testdata/cases.csv", Time: "day", Node: "city", Targets: []string{"cases"}},
		Lags:  3, Horizon: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := data.Series.Windows(3, 1).Observed().Complete().Chronological(0.6, 0.2)
	fmt.Println(data.Series.NodeNames, len(data.Series.Times), "snapshots from", data.Series.Dates[0].Format("2 January"))
	fmt.Println(len(split.Train), "windows to train on,", len(split.Test), "to test on,", err)
	// Output:
	// [Hull Leeds York] 26 snapshots from 3 March
	// 12 windows to train on, 6 to test on, <nil>
}

// The recipe of a first reading is stored beside a model, and reads the files of the next week.
func ExampleRecipe_Read() {
	ctx := context.Background()
	data, err := table.Read(ctx, table.Config{
		Edges: table.Edges{Path: "testdata/flows.csv", Time: "day", From: "from", To: "to", Weight: "people"},
		Nodes: table.Nodes{Path: "testdata/cases.csv", Time: "day", Node: "city", Targets: []string{"cases"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, _ := json.Marshal(data.Recipe)
	var recipe table.Recipe
	if err := json.Unmarshal(stored, &recipe); err != nil {
		fmt.Println(err)
		return
	}
	series, err := recipe.Read(ctx, "testdata/flows.csv", "testdata/cases.csv") // files of the next week in their place
	if err != nil {
		fmt.Println(err)
		return
	}
	cases, err := series.Scales[0].Restore(series.LastObserved[len(series.LastObserved)-1])
	fmt.Printf("%v have %.0f cases, %v\n", series.NodeNames, cases, err)
	// Output:
	// [Hull Leeds York] have [67 168 127] cases, <nil>
}
