package forecast_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/forecast"
	"github.com/peng-cde/pengcde-go/xla"
)

// From two CSV files to a forecast of values that are not known yet, beside simple forecasts.
func Example() {
	ctx := context.Background()
	data, err := table.Read(ctx, table.Config{
		Edges: table.Edges{Path: "../notebooks/data/england_flows.csv.gz", Time: "day", From: "from", To: "to",
			Weight: "people"},
		Nodes: table.Nodes{Path: "../notebooks/data/england_cases.csv.gz", Time: "day", Node: "region",
			Targets: []string{"cases"}},
		Notices: io.Discard,
	})
	if err != nil {
		log.Fatal(err)
	}
	backend, err := xla.Open(xla.Config{Backend: "go"}) // {} takes the fastest there is
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := forecast.Fit(ctx, backend, data, forecast.Config{Hidden: 4, Epochs: 1}) // {} for a real one
	if err != nil {
		log.Fatal(err)
	}
	ahead, err := fitted.Ahead(ctx, data.Series)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(fitted.Simple), "simple forecasts beside", fitted.Score.Name)
	fmt.Println(ahead[0].Time, "is", ahead[0].Ahead, "day after", ahead[0].From, "in", len(ahead[0].Values), "regions")
	// Output:
	// 7 simple forecasts beside PENG-CDE
	// 2020-05-13 is 1 day after 2020-05-12 in 129 regions
}
