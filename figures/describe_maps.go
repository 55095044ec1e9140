package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

func describeGrid(axes Axes, g Grid) string {
	var values []float64
	missing, row, column := 0, 0, 0
	most := math.Inf(-1)
	for i, line := range g.Values {
		values = append(values, line...)
		for j, v := range line {
			if math.IsNaN(v) {
				missing++
			} else if math.Abs(v) > most {
				most, row, column = math.Abs(v), i, j
			}
		}
	}
	label := func(names []string, i int, otherwise string) string {
		if names != nil {
			return names[i]
		}
		return otherwise
	}
	head := fmt.Sprintf("Heat map of %d rows and %d columns, values %s", len(g.Values), len(g.Values[0]),
		spanOf(values...))
	if missing > 0 {
		head += fmt.Sprintf(", %d missing", missing)
	}
	if dots := len(g.undecided()); dots > 0 {
		head += fmt.Sprintf(", %d with a dot", dots)
	}
	return axes.describe(head, fmt.Sprintf("Largest magnitude: %s (%s; %s)", short(g.Values[row][column]),
		label(g.Rows, row, "row "+short(float64(row))),
		label(g.Columns, column, "column "+axes.span(g.Start+float64(column)))))
}

func describeGraphs(axes Axes, panels []HeatPanel, matrices [][][]float64) string {
	var each []string
	for i, m := range matrices {
		edges, weights := 0, []float64(nil)
		for _, row := range m {
			for _, w := range row {
				if w > 0 {
					edges, weights = edges+1, append(weights, w)
				}
			}
		}
		said := plain.Count(edges, "edge")
		if edges > 0 {
			said += ", weights " + spanOf(weights...)
		}
		each = append(each, strings.TrimSpace(fmt.Sprintf("%s: %s", panels[i].Title, said)))
	}
	return axes.describe(fmt.Sprintf("%s of %s", plain.Count(len(panels), "adjacency map"),
		plain.Count(len(matrices[0]), "node")),
		list(each, "; "))
}

func describeImages(axes Axes, panels []ImagePanel) string {
	var each []string
	for _, p := range panels {
		each = append(each, strings.TrimSpace(fmt.Sprintf("%s %s", p.Title, spanOf(slices.Concat(p.Values...)...))))
	}
	return axes.describe(fmt.Sprintf("%s of %d by %d cells: %s", plain.Count(len(panels), "image"), len(panels[0].Values),
		len(panels[0].Values[0]), strings.Join(each, "; ")))
}
