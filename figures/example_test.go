package figures_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/figures"
)

func ExampleLines() {
	figure, err := figures.Lines(
		figures.Axes{Title: "Made-up cases", X: "day", Y: "new cases",
			Spans: []figures.Span{{Name: "train", From: 0, To: 3}}},
		figures.Series{Name: "Leeds", Y: []float64{10, 20, math.NaN(), 40, 30}}, // a day is missing
		figures.Series{Name: "Hull", Y: []float64{5, 5, 10, 20, 25}, Lower: []float64{4, 4, 9, 18, 20},
			Upper: []float64{6, 6, 11, 22, 30}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Size())
	// Output: 640 260
}

func ExampleFigure_Save() {
	figure, err := figures.Lines(figures.Axes{X: "day"}, figures.Series{Y: []float64{1, 3, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	fmt.Println(figure.Save(filepath.Join(folder, "lines.svg")))
	fmt.Println(figure.Save("lines.gif"))
	// Output:
	// <nil>
	// figures: cannot write "lines.gif": extension ".gif", wanted .svg or .png
}

func ExampleAdjacency() {
	_, err := figures.Adjacency(figures.Axes{Colour: "people per day"}, []figures.HeatPanel{
		{Title: "day 0", N: 3, From: []int{0, 1}, To: []int{1, 2}, Weights: []float64{100, 20}},
		{Title: "day 1", N: 3, From: []int{0, 1}, To: []int{1, 3}, Weights: []float64{90, 10}},
	})
	fmt.Println(err)
	// Output: figures: panel 1 ("day 1"): edge 1 runs from 1 to 3, wanted nodes 0 to 2
}

func ExampleHeatMap() {
	figure, err := figures.HeatMap(
		figures.Axes{Title: "Made-up standardised cases", X: "day", Colour: "standard deviations"},
		figures.Grid{Values: [][]float64{{-1, 0, 2}, {0.5, math.NaN(), -2}}, Rows: []string{"Leeds", "Hull"},
			Diverging: true})
	fmt.Println(figure != nil, err)
	// Output: true <nil>
}

func ExampleLossCurves() {
	figure, err := figures.LossCurves(figures.Axes{Title: "Training", Y: "mean squared error"},
		figures.LossRun{Name: "seed 0", Train: []float64{3, 2, 1}, Validation: []float64{3, 2.5, 2.6}},
		figures.LossRun{Name: "seed 1", Train: []float64{4, 2, 1.2}, Validation: []float64{4, 2.2, 2.1}, Best: 3})
	fmt.Println(figure != nil, err)
	// Output: true <nil>
}

func ExampleForecasts() {
	forecast, err := figures.Spread("PENG-CDE", nil, [][]float64{{1, 2, 3}, {2, 2, 5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(forecast.Y, forecast.Lower, forecast.Upper)
	figure, err := figures.Forecasts(figures.Axes{X: "day", Y: "cases"}, []figures.ForecastPanel{
		{Title: "Leeds", Truth: []float64{1, 3, 4}, Forecasts: []figures.Series{forecast}},
	})
	fmt.Println(figure != nil, err)
	// Output:
	// [1.5 2 4] [1 2 3] [2 2 5]
	// true <nil>
}

func ExampleDots() {
	figure, err := figures.Dots(figures.Axes{X: "mean squared error"},
		figures.DotRow{Name: "PENG-CDE", Value: figures.Estimate(0.64, 0.03)},
		figures.DotRow{Name: "Original", Value: figures.Missing()})
	fmt.Println(figure != nil, err)
	// Output: true <nil>
}

func ExampleDotPanels() {
	published := figures.Number(0.48)
	figure, err := figures.DotPanels(figures.Axes{X: "mean squared error", LogX: true, Published: "the paper"},
		figures.DotPanel{Title: "community", Rows: []figures.DotRow{{Name: "PENG-CDE", Value: figures.Number(0.11)}}},
		figures.DotPanel{Title: "grid", Rows: []figures.DotRow{{Value: figures.Number(0.25).Published(published)}}})
	fmt.Println(figure.Alt(), err)
	// Output:
	// community: PENG-CDE 0.110. grid: PENG-CDE 0.250 (the paper: 0.48). <nil>
}

func ExampleImages() {
	truth := [][]float64{{0, 1, 2}, {1, 2, 3}}
	guess := [][]float64{{0, 1, 2}, {1, 2, 2.5}}
	difference := [][]float64{{0, 0, 0}, {0, 0, -0.5}}
	panels := []figures.ImagePanel{{Title: "Truth", Values: truth}, {Title: "Guess", Values: guess},
		{Title: "Guess − truth", Values: difference, Diverging: true}}
	limits := figures.LimitsOf(panels)
	fmt.Println(limits)
	figure, err := figures.Images(figures.Axes{Colour: "temperature"}, limits, panels)
	fmt.Println(figure != nil, err)
	// Output:
	// {0 3 0.5}
	// true <nil>
}

func ExampleTable() {
	table := &figures.Table{
		Columns: []figures.Column{{Title: "model"}, {Title: "error", Better: figures.Lower}},
		Rows: [][]figures.Cell{
			{figures.Text("A"), figures.Estimate(0.64, 0.03).Published(figures.Number(0.62))},
			{figures.Text("B"), figures.Estimate(0.66, 0.04)},
			{figures.Text("C"), figures.Missing()},
		},
	}
	fmt.Print(table)
	// Output:
	// | model |             error | error, paper |
	// |:------|------------------:|-------------:|
	// | A     | **0.640 ± 0.030** |        0.620 |
	// | B     |     0.660 ± 0.040 |            – |
	// | C     |                 – |            – |
	//
	// Notes:
	//
	// - ±: 95% interval; bold (in plain text ◄): the best of its column; paper: what was published; –: missing.
}

func ExampleTable_Text() {
	table := &figures.Table{
		Title: "Error by graph",
		Columns: []figures.Column{{Title: "model"}, {Title: "grid", Better: figures.Lower},
			{Title: "community", Better: figures.Lower}},
		Rows: [][]figures.Cell{
			{figures.Text("PENG-CDE"), figures.Estimate(0.64, 0.03).Published(figures.Number(0.62)), figures.Number(0.5)},
			{figures.Text("Original"), figures.Estimate(0.66, 0.04), figures.Number(0.7)},
		},
		Finding: "PENG-CDE is best on both.",
	}
	text, err := table.Text(40)
	fmt.Print(text, err)
	// Output:
	// Error by graph
	//
	//                            grid,
	// model                grid  paper
	// --------  ---------------  -----
	// PENG-CDE  0.640 ± 0.030 ◄  0.620
	// Original  0.660 ± 0.040        –
	//
	// model     community
	// --------  ---------
	// PENG-CDE    0.500 ◄
	// Original    0.700
	//
	// PENG-CDE is best on both.
	// <nil>
}

func ExampleNotes() {
	table := &figures.Table{Columns: []figures.Column{{Title: "model"}, {Title: "error"}},
		Rows: [][]figures.Cell{{figures.Text("A"), figures.Missing()}}, Notes: []string{"Mean of three seeds."}}
	text, err := figures.Notes(table, table, figures.NoteList{"Times are in days."}).Text(0)
	fmt.Print(text, err)
	// Output:
	// Notes
	// - Mean of three seeds.
	// - Times are in days.
	// - –: missing.
	// <nil>
}

func ExampleCriticalDifference() {
	figure, err := figures.CriticalDifference(figures.Axes{Title: "Made-up errors"}, figures.Ranking{
		Models: []figures.RankedModel{{Name: "PENG", Rank: 1.4}, {Name: "ODE", Rank: 2.9}, {Name: "Ridge", Rank: 1.7}},
		Groups: [][]int{{0, 2}}, // PENG and Ridge were not told apart
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Alt())
	// Output:
	// Made-up errors. Mean ranks of 3 models, the best first: PENG 1.40; Ridge 1.70; ODE 2.90. Not told apart: PENG / Ridge.
}

func ExampleNewSlider() {
	times := []float64{0, 0.5, 1}
	var states [][]figures.ImagePanel
	for _, t := range times {
		states = append(states, []figures.ImagePanel{{Title: "Truth", Values: [][]float64{{t, 0}, {0, -t}}}})
	}
	limits := figures.LimitsOf(states...) // one scale for all frames
	var frames []figures.Frame
	for i, t := range times {
		figure, err := figures.Images(figures.Axes{}, limits, states[i])
		if err != nil {
			fmt.Println(err)
			return
		}
		frames = append(frames, figures.Frame{Name: fmt.Sprintf("t = %.2f", t), Figure: figure})
	}
	slider, err := figures.NewSlider(frames...)
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := slider.HTML()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(page, "<img"), "images") // package notebook shows it in a cell
	// Output: 3 images
}
