package worlds

import (
	_ "embed" // for the prose

	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

//go:embed prose.md
var proseText string

var prose = catalogue.NewProse(proseText)
