// Package notebook shows figures, tables and progress in notebooks of the gonb kernel, and trains in them.
//
//	figure, err := figures.Lines(figures.Axes{X: "day", Y: "people per day"}, figures.Series{Name: "flow", Y: flow})
//	err = notebook.Show(figure) // below the cell
//
// Show folds the notes of all its items away below them. A Slider shows one of several figures at a time, such as the
// Images of a state over time; it works in JupyterLab and in saved pages, without a network. Train is the cell that
// trains: it survives an interrupt, shows a bar, and says how many runs are stored.
//
// Outside a notebook nothing is shown. Start with Show.
package notebook
