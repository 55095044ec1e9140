package docs_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/forecast"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
	"github.com/peng-cde/pengcde-go/xla"
)

// The second program of the README: from two CSV files to forecasts beside those without a model.
func TestOwnDataOfTheReadme(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTables(t, "time,source,destination,weight", "time,node,cases")
	backend := must.M1(xla.Open(xla.Config{Backend: "go"})) // starts sooner than XLA for so small a model
	defer backend.Close()
	ctx := context.Background()

	data := must.M1(table.Read(ctx, table.Config{
		Edges: table.Edges{Path: "flows.csv"}, // columns time, source, destination, weight, or name yours
		Nodes: table.Nodes{Path: "cases.csv", Targets: []string{"cases"}}}))
	fitted := must.M1(forecast.Fit(ctx, backend, data, forecast.Config{}))
	fmt.Println(fitted.Verdict()) // is it better than node's mean, last value, recent mean, ridge?
	for _, f := range must.M1(fitted.Ahead(ctx, data.Series)) {
		fmt.Println(f.Time, data.Series.NodeNames, f.Values) // forecasts beyond the last row, in cases
	}
	must.M(fitted.Write(ctx, "cases-forecast")) // model, forecasts, errors, a page with figures

	defer fitted.Close()
	page, err := os.ReadFile("cases-forecast/report.html")
	if err != nil || !strings.Contains(string(page), "cases") {
		t.Errorf("no page of cases was written: %v", err)
	}
}

// The program of the page on own data that chooses split and model itself.
func TestOwnSplitAndModel(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTables(t, "day,from,to,people", "day,region,cases")
	backend := must.M1(xla.Open(xla.Config{Backend: "go"})) // starts sooner than XLA for so small a model
	defer backend.Close()
	ctx := context.Background()
	data := must.M1(table.Read(ctx, table.Config{
		Edges: table.Edges{Path: "flows.csv", Time: "day", From: "from", To: "to", Weight: "people"},
		Nodes: table.Nodes{Path: "cases.csv", Time: "day", Node: "region", Targets: []string{"cases"}}}))

	s := data.Series
	split := must.M1(s.Windows(5, 1).Chronological(0.6, 0.2)) // four snapshots in, the next one out; no leak
	model := must.M1(pengcde.New(backend, pengcde.Recommended(pengcde.Config{Nodes: s.Nodes(),
		Features: s.FeatureSize, Hidden: 8, Layers: 1, Head: head.Nodes{Residual: true},
		Equation: pengcde.Equation{Step: 0.5}})))
	must.M1(model.Fit(ctx, split.Train, split.Validation, train.Recommended(train.Config{Epochs: 15})))
	tomorrow := must.M1(model.Predict(ctx, must.M1(s.Latest(4)), nil)) // of every node, standardised
	must.M(model.Save("cases.safetensors"))

	scores := must.M1(baseline.Compare(ctx, split)) // zero, mean, last, recent mean, three ridges
	var forecasts, simple [][]float64
	for _, w := range split.Test {
		forecasts = append(forecasts, must.M1(model.Predict(ctx, w, nil)).Values)
	}
	mine := must.M1(baseline.NewScore("PENG-CDE", split.Test, forecasts))
	for _, score := range scores {
		simple = append(simple, score.Errors)
	}
	overlap := stats.Overlapping(baseline.Lag(split.Test)) // windows that share steps
	for i, d := range must.M1(stats.Compare(mine.Errors, simple, overlap)) {
		fmt.Printf("%-22s %+.3f ± %.3f, p = %.2g\n", scores[i].Name, d.Mean, d.HalfWidth, d.Corrected)
	}

	if len(tomorrow.Values) != 6 || math.IsNaN(tomorrow.At(0, 0, 0)) {
		t.Errorf("the forecast is %v, want one for each of 6 cities", tomorrow)
	}
}

// writeTables writes flows.csv and cases.csv with the columns given: six cities, of which each infects the next, on 60
// days.
func writeTables(t *testing.T, edges, nodes string) {
	cities := []string{"Bath", "Hull", "Leeds", "Luton", "York", "Wells"}
	var flows, cases strings.Builder
	flows.WriteString(edges + "\n")
	cases.WriteString(nodes + "\n")
	for day := range 60 {
		date := time.Date(2024, 1, 1+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		for i, city := range cities {
			fmt.Fprintf(&flows, "%s,%s,%s,%d\n", date, city, cities[(i+1)%len(cities)], 100+10*((day+i)%7))
			fmt.Fprintf(&cases, "%s,%s,%.1f\n", date, city, 50+20*math.Sin(float64(day-3*i)/5))
		}
	}
	for name, text := range map[string]string{"flows.csv": flows.String(), "cases.csv": cases.String()} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
