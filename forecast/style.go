package forecast

import "github.com/peng-cde/pengcde-go/figures"

// styles repeats the styles that the studies' figures give the same forecasts.
var styles = map[string]figures.Style{
	ModelName:               {Colour: figures.Blue},
	"zero":                  {Colour: figures.Ink, Dash: figures.Dotted},
	nodeMean:                {Colour: figures.Ink, Dash: figures.Dotted},
	"training mean":         {Colour: figures.Ink, Dash: figures.LongDashed},
	"last value":            {Colour: figures.Green, Dash: figures.LongDashed},
	"recent mean":           {Colour: figures.Orange, Dash: figures.Dashed},
	"ridge":                 {Colour: figures.Sky, Dash: figures.DashDot},
	"ridge, chosen penalty": {Colour: figures.Purple, Dash: figures.DashDotDot},
	"ridge with neighbours": {Colour: figures.Orange, Dash: figures.SparseDotted},
}

// otherNetwork is the style of a network that is not the model.
var otherNetwork = figures.Style{Colour: figures.Vermillion, Dash: figures.LongDashed}

// styleOf returns the style of a simple forecast, else the model's.
func styleOf(name string) figures.Style {
	if style, ok := styles[name]; ok {
		return style
	}
	return styles[ModelName]
}
