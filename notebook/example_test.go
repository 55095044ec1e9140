package notebook_test

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/notebook"
)

func ExampleNewSlider() {
	times := []float64{0, 0.5, 1}
	var states [][]figures.ImagePanel
	for _, t := range times {
		states = append(states, []figures.ImagePanel{{Title: "Truth", Values: [][]float64{{t, 0}, {0, -t}}}})
	}
	limits := figures.LimitsOf(states...) // one scale for all frames
	var frames []notebook.Frame
	for i, t := range times {
		figure, err := figures.Images(figures.Axes{}, limits, states[i])
		if err != nil {
			fmt.Println(err)
			return
		}
		frames = append(frames, notebook.Frame{Name: fmt.Sprintf("t = %.2f", t), Figure: figure})
	}
	slider, err := notebook.NewSlider(frames...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(notebook.Show(slider)) // displays in a notebook only
	// Output: <nil>
}

func ExampleShow() {
	table := &figures.Table{Columns: []figures.Column{{Title: "nothing"}}}
	fmt.Println(notebook.Show(table)) // displays in a notebook only
	// Output: <nil>
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
