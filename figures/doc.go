// Package figures draws the figures and tables of dynamic-graph experiments from plain numbers, and shows them in
// notebooks.
//
// A figure is made by one function (Adjacency, HeatMap, Images, Lines, LossCurves, Forecasts, Dots), which checks its
// input and returns a *Figure; nothing is drawn before SVG, PNG, Save or Show is called:
//
//	figure, err := figures.Lines(figures.Axes{X: "day", Y: "people per day"}, figures.Series{Name: "flow", Y: flow})
//	figures.Show(figure)           // in a notebook: SVG below the cell; elsewhere: nothing
//	err = figure.Save("flow.svg")  // or .png
//
// A Slider shows one of several figures at a time, such as the Images of a state over time; it works in JupyterLab and
// in saved pages, without a network.
//
// A Table holds cells with a mean, the half-width of its interval and a published value; it prints as Markdown and
// shows as HTML. A Bar reports progress in a notebook, a terminal or a log.
//
// Conventions. Lengths are in points (1/72 inch). NaN in a line, a band or a cell of a heat map means "missing": it
// is left open, or grey, and never filled or averaged away. Infinities, empty input and lengths that disagree are
// errors that wrap ErrInput. Matrices are indexed [from][to], so that rows are sources and columns are targets.
//
// Colours are the Okabe-Ito palette for lines (Okabe and Ito, "Color Universal Design", 2008) and, for heat maps,
// two maps with equal steps in OKLab (Ottosson, "A perceptual color space for image processing", 2020).
//
// Start with Axes, Lines and Show.
package figures
