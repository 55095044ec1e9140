// Package figures draws the figures and tables of dynamic-graph experiments from plain numbers.
//
// One function makes a figure (Adjacency, HeatMap, Images, Lines, LossCurves, Forecasts, Dots, CriticalDifference). It
// copies and checks its input, and returns a *Figure, which is drawn when SVG, HTML, PNG or Save is called:
//
//	figure, err := figures.Lines(figures.Axes{X: "day", Y: "people per day"}, figures.Series{Name: "flow", Y: flow})
//	err = figure.Save("flow.svg") // or .png; notebook.Show(figure) shows it in a notebook
//
// A Table holds cells with a mean, the half-width of its interval and a published value, as HTML, as Markdown, and as
// plain text that fits a terminal. A table's notes are written separately: Notes collects the notes of all items of a
// page, each once.
//
// Figures are accessible. A Style gives a model one colour and one dash in all figures, so lines differ in greyscale
// too. A key has at most six rows, and a panel four bands. Alt describes the data in words. As SVG they follow dark
// pages and JupyterLab's theme; as PNG, and where a heat map is an image, they stay white.
//
// Conventions. Lengths are in points (1/72 inch). NaN in a line, a band or a cell of a heat map means "missing": it is
// drawn as a gap or in grey, and never filled or averaged. Infinities, empty input and lengths that disagree are errors
// that wrap ErrInput. Matrices are indexed [from][to], so that rows are sources and columns are targets.
//
// Package gonum.org/v1/plot draws axes and logarithmic scales, grids, aligned panels, lines, bands, dots, texts, heat
// maps and colour bars. This package sets their style, and adds features that gonum lacks:
//
//   - lines with gaps (its Line refuses NaN) and bands that end at a logarithmic axis;
//   - keys in rows above the data (its Legend is one column over the data), named spans and marks;
//   - ticks thinned to the space, with thousands, millions and powers of ten written out (its tickers are given no
//     size, and its logarithmic one labels every decade and nothing in between);
//   - titles at the left of the data, and axis labels that do not shrink logarithmic axes;
//   - colour bars with ticks on their right, next to their panel, and grey boxes for missing cells;
//   - images as blocks of few colours: crisp in every viewer, and small.
//
// Colours are the Okabe-Ito palette for lines (Okabe and Ito, "Color Universal Design", 2008) and, for heat maps, maps
// with equal steps of lightness (Moreland, "Diverging color maps for scientific visualization", 2009).
//
// Start with Axes, Lines and Save.
package figures
