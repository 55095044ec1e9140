package catalogue

import (
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// StyleOf is the style of a model of the studies by the ID of its row, or false for another one.
func StyleOf(row string) (figures.Style, bool) {
	style := models[row].Style
	return style, style != figures.Style{}
}

// StyleIn is the style of a model in a report. One that is not of the studies has the first free style by its place
// among such models in the plan.
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
	place := slices.Index(others, model)
	var taken []figures.Style
	for _, m := range Models {
		taken = append(taken, m.Style)
	}
	for i := 0; ; i++ {
		style := figures.StyleOf(i)
		if slices.Contains(taken, style) && i < 36 { // then all are taken once
			continue
		}
		if place--; place < 0 {
			return style
		}
	}
}
