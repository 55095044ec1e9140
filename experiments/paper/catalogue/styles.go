package catalogue

import (
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// StyleOf returns the style of a model of the studies by the ID of its row; false for any other model.
func StyleOf(row string) (figures.Style, bool) {
	style := models[row].Style
	return style, style != figures.Style{}
}

// StyleIn returns the style of a model in a report. A model that is not in the catalogue gets the first free style,
// by its position among such models in the plan.
func StyleIn(r *experiments.Report, model string) figures.Style {
	if style, ok := StyleOf(model); ok {
		return style
	}
	var others []string
	for _, id := range slices.Concat(r.All.Values("model"), r.Results.Values("model")) {
		if _, known := StyleOf(id); !known && !slices.Contains(others, id) {
			others = append(others, id)
		}
	}
	left := slices.Index(others, model)
	var taken []figures.Style
	for _, m := range Models {
		taken = append(taken, m.Style)
	}
	for i := 0; ; i++ {
		style := figures.StyleOf(i)
		if slices.Contains(taken, style) && i < 36 { // after 36, all styles are taken
			continue
		}
		if left--; left < 0 {
			return style
		}
	}
}
