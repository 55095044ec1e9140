package figures

import (
	"math"
	"math/rand/v2"
	"testing"
)

// samples draws every kind of figure from test data: sums of sines and random numbers with a fixed seed.
func samples(t testing.TB) map[string]*Figure {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	made := map[string]*Figure{}
	add := func(name string, f *Figure, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		made[name] = f
	}

	var panels []HeatPanel
	for p := range 4 {
		panel := HeatPanel{Title: "test day " + string(rune('0'+20*p/10%10)), N: 129}
		for from := range 129 {
			for to := range 129 {
				near := math.Exp(-math.Abs(float64(from-to)) / 12)
				if random.Float64() < 0.06+0.5*near {
					panel.From, panel.To = append(panel.From, from), append(panel.To, to)
					panel.Weights = append(panel.Weights, math.Exp(3+6*near*float64(4-p)/4+2*random.NormFloat64()))
				}
			}
		}
		panels = append(panels, panel)
	}
	f, err := Adjacency(Axes{Title: "Test flows between test regions", X: "to region", Y: "from region",
		Colour: "people per day"}, panels)
	add("adjacency", f, err)
	dense := [][]float64{{0, 1, 2, 0}, {3, 0, math.NaN(), 5}, {0, 0.2, 0, 7}, {1, 0, 0, 0}}
	f, err = Adjacency(Axes{Title: "A small graph", Colour: "weight", Width: 360},
		[]HeatPanel{{Title: "before", Dense: dense}})
	add("adjacency1", f, err)

	grid := make([][]float64, 129)
	for r := range grid {
		grid[r] = make([]float64, 61)
		for d := range grid[r] {
			grid[r][d] = 1.6*math.Sin(float64(d)/9+float64(r)/40) + 0.5*random.NormFloat64()
			if r > 40 && r < 48 && d > 30 && d < 44 {
				grid[r][d] = math.NaN()
			}
		}
	}
	f, err = HeatMap(Axes{Title: "Standardised test cases", X: "day", Y: "region", Colour: "standard deviations"},
		Grid{Values: grid, Diverging: true, Limit: 3})
	add("heatmap", f, err)
	f, err = HeatMap(Axes{Title: "Test cases in six regions", X: "day", Colour: "cases"},
		Grid{Values: scaled(grid[:6]), Rows: []string{"Alpha", "Beta", "Gamma", "Delta region", "Epsilon", "Zeta"}, Start: 1})
	add("heatmap6", f, err)

	wave := func(n int, level, swing, phase, noise float64) []float64 {
		y := make([]float64, n)
		for i := range y {
			y[i] = level + swing*math.Sin(float64(i)/7+phase) + noise*random.NormFloat64()
		}
		return y
	}
	flow := wave(61, 5.1e6, 9e5, 1, 1.5e5)
	f, err = Lines(Axes{Title: "Total test flow", X: "day", Y: "people per day", Height: 220}, Series{Y: flow})
	add("flow", f, err)
	names := []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"}
	var series []Series
	for i, name := range names {
		y := wave(61, 300+80*float64(i), 150, float64(i), 20)
		if i == 2 {
			copy(y[20:26], []float64{math.NaN(), math.NaN(), math.NaN(), 500, math.NaN(), math.NaN()})
		}
		series = append(series, Series{Name: name, Y: y})
	}
	spans := []Span{{"train", 0, 36}, {"validation", 36, 48}, {"test", 48, 60}}
	f, err = Lines(Axes{Title: "Test cases of six regions", X: "day", Y: "new cases", Spans: spans}, series...)
	add("cases", f, err)

	var runs []LossRun
	for s := range 5 {
		var r LossRun
		for e := range 60 + 12*s {
			decay := math.Exp(-float64(e) / 14)
			r.Train = append(r.Train, (0.35+2*decay)*math.Exp(0.05*random.NormFloat64()))
			r.Validation = append(r.Validation, (0.6+0.002*float64(e)+2*decay)*math.Exp(0.07*random.NormFloat64()))
		}
		runs = append(runs, r)
	}
	f, err = LossCurves(Axes{Title: "Training on test data", Y: "mean squared error"}, runs...)
	add("loss", f, err)

	var forecast []ForecastPanel
	for i := range 6 {
		truth := wave(56, 0.4, 1.2, float64(i), 0.2)
		p := ForecastPanel{Title: names[i], Truth: truth}
		for _, model := range []string{"PENG-CDE", "Original"} {
			var seeds [][]float64
			for range 5 {
				y := make([]float64, len(truth))
				for d := range y {
					y[d] = truth[d]*0.8 + 0.25*random.NormFloat64()
					if d < 5 {
						y[d] = math.NaN()
					}
				}
				seeds = append(seeds, y)
			}
			s, err := Spread(model, nil, seeds)
			if err != nil {
				t.Fatal(err)
			}
			p.Forecasts = append(p.Forecasts, s)
		}
		forecast = append(forecast, p)
	}
	spans = []Span{{"train", 0, 33}, {"validation", 33, 44}, {"test", 44, 55}}
	axes := Axes{Title: "Test forecasts five days ahead", X: "day", Y: "standardised cases", Spans: spans}
	f, err = Forecasts(axes, forecast)
	add("forecasts", f, err)
	axes.Spans[1].Name = "val."
	f, err = Forecasts(axes, forecast[:2])
	add("forecasts2", f, err)

	f, err = Dots(Axes{Title: "Test error by model", X: "mean squared error"},
		DotRow{Name: "PENG-CDE", Value: Estimate(0.641, 0.032),
			Seeds: []float64{0.61, 0.63, 0.64, 0.66, 0.67}},
		DotRow{Name: "Original", Value: Estimate(0.702, 0.051),
			Seeds: []float64{0.66, 0.68, 0.7, 0.72, 0.75}},
		DotRow{Name: "STG-NCDE", Value: Missing()},
		DotRow{Name: "Mean of the last 5 days", Value: Number(0.87)},
		DotRow{Name: "A long name of some model with options", Value: Missing()})
	add("dots", f, err)

	times := count(100, 0)
	var losses []Series
	for i, model := range []string{"PENG-CDE", "GN-ODE"} {
		s := Series{Name: model, X: times}
		for _, x := range times {
			s.Y = append(s.Y, (1+float64(i))*math.Exp(0.02*math.Max(0, x-60)+0.1*random.NormFloat64())/10)
		}
		losses = append(losses, s)
	}
	marks := []Mark{{Name: "training horizon", X: 79, Bold: true}, {Name: "topology event", X: 200},
		{Name: "elsewhere", X: -1}, {X: 50}}
	for x := 10.0; x < 100; x += 20 {
		marks = append(marks, Mark{Name: "topology event", X: x})
	}
	f, err = Lines(Axes{Title: "Test loss by simulation time", X: "time", Y: "mean squared error", LogY: true,
		Marks: marks}, losses...)
	add("marks", f, err)
	f, err = Dots(Axes{Title: "Learned test weights, layer 1, A", X: "weight",
		Marks: []Mark{{Name: "initial value", X: 0.125, Bold: true}}},
		DotRow{Name: "identity", Value: Estimate(0.31, 0.05), Seeds: []float64{0.27, 0.3, 0.35}},
		DotRow{Name: "square", Value: Estimate(-0.08, 0.11), Seeds: []float64{-0.16, -0.1, 0.02}})
	add("weights", f, err)
	weights := make([][]float64, 8)
	for r := range weights {
		weights[r] = append([]float64(nil), grid[10*r][:4]...)
	}
	f, err = HeatMap(Axes{Title: "Learned test weights", Y: "map", Colour: "mean of 5 seeds"},
		Grid{Values: weights, Diverging: true, Rows: []string{"A", "B", "C", "D", "E", "F", "G", "H"},
			Columns: []string{"layer 1, A", "layer 1, A′", "layer 2, A", "a column whose name is longer than wide"}})
	add("heatmap8", f, err)
	f, err = Images(Axes{Title: "State of 400 test nodes", Colour: "temperature", X: "column", Y: "row"}, Limits{},
		testState(20, 20, 0))
	add("images", f, err)
	broken := testState(5, 12, 1)
	broken[1].Values[0][0], broken[2].Values[0][0] = math.NaN(), math.NaN()
	f, err = Images(Axes{Colour: "temperature"}, Limits{Low: -2, High: 2, Swing: 4}, broken)
	add("images12", f, err)
	f, err = CriticalDifference(Axes{Title: "Test errors of seven test models"}, ranking(7))
	add("critical", f, err)
	f, err = CriticalDifference(Axes{Title: "Test errors"}, Ranking{Instead: "No diagram: p = 0.31."})
	add("critical0", f, err)
	return made
}

func scaled(grid [][]float64) [][]float64 {
	out := make([][]float64, len(grid))
	for i, row := range grid {
		for _, v := range row {
			out[i] = append(out[i], math.Round(400+150*v))
		}
	}
	return out
}

// testState is a truth, a prediction and their difference.
func testState(rows, columns int, time float64) []ImagePanel {
	panels := []ImagePanel{{Title: "Truth"}, {Title: "Prediction"}, {Title: "Prediction − truth", Diverging: true}}
	for r := range rows {
		for p := range panels {
			panels[p].Values = append(panels[p].Values, make([]float64, columns))
		}
		for c := range columns {
			truth := math.Sin(float64(r)/6+time) * math.Cos(float64(c)/4-time)
			guess := 0.9*truth + 0.1*math.Sin(float64(r*c)+time)
			panels[0].Values[r][c], panels[1].Values[r][c], panels[2].Values[r][c] = truth, guess, guess-truth
		}
	}
	return panels
}
