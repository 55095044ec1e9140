package catalogue

import (
	"maps"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// styles are the colour and dash of every model by its ID, the same in all figures; rows of one model share its style.
// Models that share a figure differ in their dash or clearly in lightness, so that they can be told apart in greyscale
// too.
var styles = map[string]figures.Style{
	"peng":        {Colour: figures.Blue},
	"affine":      {Colour: figures.Blue, Dash: figures.DashDashDot},
	"recommended": {Colour: figures.Ink, Dash: figures.DashDashDot},
	LawID:         {Colour: figures.Sky, Dash: figures.DashDashDot},
	"law-of-a":    {Colour: figures.Sky, Dash: figures.SparseDotted},
	"of-a":        {Colour: figures.Purple},
	"of-a-linear": {Colour: figures.Vermillion, Dash: figures.SparseDotted},
	"gn-ode-silu": {Colour: figures.Green, Dash: figures.DashDashDot},
	"peng15":      {Colour: figures.Blue, Dash: figures.LongDashed},
	"peng-fast":   {Colour: figures.Blue, Dash: figures.DashDotDot},
	"peng-linear": {Colour: figures.Sky},
	PreciseID:     {Colour: figures.Orange, Dash: figures.DashDot},
	"residual":    {Colour: figures.Orange},
	"constant":    {Colour: figures.Purple, Dash: figures.Dotted},

	"gn-ode":        {Colour: figures.Green, Dash: figures.DashDot},
	"adjacency":     {Colour: figures.Orange, Dash: figures.LongDashed},
	"pre-mult":      {Colour: figures.Sky, Dash: figures.Dashed},
	"pre-mult-fair": {Colour: figures.Sky, Dash: figures.DashDotDot},
	"original":      {Colour: figures.Vermillion, Dash: figures.Dashed},

	"stg-ncde": {Colour: figures.Green},
	"dcrnn":    {Colour: figures.Ink, Dash: figures.DashDot},
	"astgcn":   {Colour: figures.Blue, Dash: figures.Dotted},
	"stidgcn":  {Colour: figures.Ink, Dash: figures.Dashed},

	PersistentID:      {Colour: figures.Ink, Dash: figures.DashDotDot},
	"mean":            {Colour: figures.Sky, Dash: figures.Dotted},
	"log-linear":      {Colour: figures.Ink},
	"moving-average":  {Colour: figures.Vermillion, Dash: figures.LongDashed},
	"message-mean":    {Colour: figures.Sky, Dash: figures.LongDashed},
	"message-average": {Colour: figures.Orange, Dash: figures.DashDotDot},
	"gated-state":     {Colour: figures.Green, Dash: figures.DashDotDot},
	"peng11":          {Colour: figures.Blue, Dash: figures.DashDot},
	"peng-identities": {Colour: figures.Vermillion, Dash: figures.Dotted},

	InferenceID: {Colour: figures.Vermillion, Dash: figures.DashDotDot}, // in no figure
	RatioID:     {Colour: figures.Purple, Dash: figures.LongDashed},

	"zero":                 {Colour: figures.Ink, Dash: figures.Dotted},
	"training-mean":        {Colour: figures.Ink, Dash: figures.LongDashed},
	"last-visible":         {Colour: figures.Green, Dash: figures.LongDashed},
	"recent-mean":          {Colour: figures.Orange, Dash: figures.Dashed},
	"ridge":                {Colour: figures.Sky, Dash: figures.DashDot},
	"ridge-chosen-penalty": {Colour: figures.Purple, Dash: figures.DashDotDot},
}

// StyleOf is the style of a model of the studies by its ID, or false for another one.
func StyleOf(model string) (figures.Style, bool) {
	style, ok := styles[ModelOf(model)]
	return style, ok
}

// ModelOf is the ID of the model that a row is of.
func ModelOf(row string) string {
	return strings.TrimSuffix(strings.TrimSuffix(row, PublishedEnding), TunedEnding)
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
	taken := slices.Collect(maps.Values(styles))
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
