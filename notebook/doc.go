// Package notebook shows figures, tables and progress in notebooks of the gonb kernel, and trains in them.
//
//	figure, err := figures.Lines(figures.Axes{X: "day", Y: "people per day"}, figures.Series{Name: "flow", Y: flow})
//	err = notebook.Show(figure) // below the cell
//
// Show folds the notes of all its items away below them. A figures.Slider shows one of several at a time, such as the
// Images of a state over time; it works in JupyterLab and in saved pages, without a network. Train is the cell that
// trains: it shows a bar, may be interrupted, and goes on when it is run again; Trained is what it stored, for later
// cells. Fit and Load do so for the user's data.
//
// Each cell is a program of its own. Must and Check end it where there is an error: one line tells the error, and
// Run All stops.
//
//	series := notebook.Must(pgt.EnglandCovid())
//	notebook.Check(notebook.Show(notebook.Must(paper.Flows(series))))
//
// Outside a notebook nothing is shown. Start with Show.
package notebook
