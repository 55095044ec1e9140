package table_test

import (
	"context"
	"fmt"
	"os"

	"github.com/peng-cde/pengcde-go/datasets/table"
)

// Two files, as a spreadsheet or a data frame writes them: who travelled, and what is to be forecast.
func ExampleRead() {
	data, err := table.Read(context.Background(), table.Config{
		Edges:   table.Edges{Path: "testdata/flows.csv", Time: "day", From: "from", To: "to", Weight: "people"},
		Nodes:   table.Nodes{Path: "testdata/cases.csv", Time: "day", Node: "city", Targets: []string{"cases"}},
		Lags:    3,
		Notices: os.Stdout,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := data.Series
	cases, err := s.Scales[0].Restore(s.Targets[0])
	fmt.Println(s.NodeNames, s.Pattern.Edges(), "edges,", len(s.Times), "snapshots from", s.Dates[0].Format("2 January"))
	fmt.Printf("%.0f cases on the first day to forecast, %v\n", cases, err)
	// Output:
	// [Hull Leeds York] 4 edges, 10 snapshots from 3 March
	// [3 6 1] cases on the first day to forecast, <nil>
}
