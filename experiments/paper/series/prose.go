package series

import (
	_ "embed" // for the prose

	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

//go:embed prose.md
var proseText string

var prose = catalogue.NewProse(proseText)

// about returns the question of a study, with its splits.
func about(study string) string {
	return prose.Text("about "+study) + "\n\n" + prose.Text("about splits")
}
