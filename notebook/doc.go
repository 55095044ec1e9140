// Package notebook shows figures, tables and progress in notebooks of the gonb kernel, and trains in them.
//
//	notebook.Plot(figures.Lines(figures.Axes{X: "day", Y: "people per day"}, figures.Series{Name: "flow", Y: flow}))
//
// Plot shows below the cell what a function of figures, forecast or a study returns; Show shows several items. They
// fold away the notes of all items below the items. A figures.Slider shows one of several items at a time, such as the
// Images of a state over time. It works in JupyterLab and in saved pages, without a network. Train is the function for
// a training cell: it shows a bar, can be interrupted, and continues when the cell is run again. Trained returns the
// stored runs of Train, for later cells. Fit and Load do the same for your own data.
//
// Each cell is a separate program. Must and Check end it if there is an error: they print the error in one line, and
// Run All stops.
//
//	series := notebook.Must(pgt.EnglandCovid())
//	notebook.Plot(paper.Flows(series))
//
// Outside a notebook nothing is shown. Start with Plot.
package notebook
