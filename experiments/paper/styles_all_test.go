package paper

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// labelled matches rows that figures label with their names: in sir, variants with a panel of their own beside two
// others; in node-affinity, networks that have a dot each and no line.
var labelled = map[string]*regexp.Regexp{
	"sir":           regexp.MustCompile("^affine-(decay|narrow|early|noised|dropped)$|^dcrnn-"),
	"node-affinity": regexp.MustCompile("^(jodie|dyrep|tgn|tgnv2|tgat|cawn|graphmixer|tcl|dygformer)$"),
}

// Every model of a study has its own style, which differs from every other style in its dash or clearly in lightness.
func TestModelsCanBeToldApart(t *testing.T) {
	lightness := map[figures.Colour]float64{ // CIE L* of the palette
		figures.Ink: 13, figures.Blue: 46, figures.Vermillion: 54, figures.Green: 58, figures.Purple: 61, figures.Sky: 70,
		figures.Orange: 72}
	for _, study := range All() {
		if slices.Contains([]string{"well-posed", "ablations"}, study.Name) { // figures label their rows, which are settings
			continue
		}
		for _, profile := range experiments.Profiles() {
			r, err := study.Stored(context.Background(), experiments.Options{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			ids := slices.DeleteFunc(r.Models(), func(id string) bool {
				names, ok := labelled[study.Name]
				return ok && names.MatchString(id)
			})
			for i, id := range ids {
				style, ok := catalogue.StyleOf(id)
				if !ok || catalogue.StyleIn(r, id) != style {
					t.Errorf("%s: model %q has no style of its own", study.Name, id)
				}
				for _, other := range ids[:i] {
					if catalogue.Must(id).ID == catalogue.Must(other).ID { // of one model
						continue
					}
					s, _ := catalogue.StyleOf(other)
					if d := lightness[s.Colour] - lightness[style.Colour]; s.Dash == style.Dash && d*d < 12*12 {
						t.Errorf("%s: %q and %q look alike: %v, %v", study.Name, id, other, style, s)
					}
				}
			}
		}
	}
}
