package notebook_test

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/notebook"
)

func ExampleShow() {
	table := &figures.Table{Columns: []figures.Column{{Title: "nothing"}}}
	fmt.Println(notebook.Show(table)) // displays in a notebook only
	// Output: <nil>
}

// A cell shows what a function returns in one call; outside a notebook nothing is shown.
func ExamplePlot() {
	notebook.Plot(figures.Lines(figures.Axes{X: "day", Y: "cases"}, figures.Series{Name: "North", Y: []float64{1, 3, 2}}))
	notebook.PlotAll([]figures.Item{&figures.Table{}}, nil)
	// Output:
}

func ExampleNewBar() {
	bar := notebook.NewBar("Training") // one output of a notebook cell
	for epoch := range 3 {
		bar.Update(float64(epoch)/3, fmt.Sprintf("epoch %d", epoch+1))
	}
	bar.Done("3 epochs")
	// Output:
}

// A cell that trains: it may be interrupted and run again.
func ExampleTrain() {
	report, err := notebook.Train(paper.Table1().Study, experiments.Options{Models: []string{"constant"}})
	fmt.Println(report.Count())
	fmt.Println(err)
}
