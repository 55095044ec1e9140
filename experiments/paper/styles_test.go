package paper

import (
	"context"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// Every model of a study has a style of its own, which differs from each other one in its dash or clearly in lightness.
func TestModelsCanBeToldApart(t *testing.T) {
	lightness := map[figures.Colour]float64{ // CIE L* of the palette
		figures.Ink: 13, figures.Blue: 46, figures.Vermillion: 54, figures.Green: 58, figures.Purple: 61, figures.Sky: 70,
		figures.Orange: 72}
	for _, study := range All() {
		if study.Name == "well-posed" { // whose rows are settings of few fields, with their names beside them
			continue
		}
		for _, profile := range experiments.Profiles() {
			r, err := study.Stored(context.Background(), experiments.Options{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			ids := r.Models()
			for i, id := range ids {
				style, ok := StyleOf(id)
				if !ok || styleIn(r, id) != style {
					t.Errorf("%s: model %q has no style of its own", study.Name, id)
				}
				for _, other := range ids[:i] {
					if base(id) == base(other) { // rows of one model, whose names a figure tells apart
						continue
					}
					s := styles[base(other)]
					if d := lightness[s.Colour] - lightness[style.Colour]; s.Dash == style.Dash && d*d < 12*12 {
						t.Errorf("%s: %q and %q look alike: %v, %v", study.Name, id, other, style, s)
					}
				}
			}
		}
	}
}

// A model that is not of the studies keeps its style when others are left out, and takes nobody's.
func TestStyleOfOtherModels(t *testing.T) {
	result := func(id string) experiments.Result {
		return experiments.Result{Run: experiments.Run{Model: experiments.Row{ID: id}}}
	}
	all := experiments.Results{result("mine"), result("peng"), result("yours")}
	r := &experiments.Report{Results: all[1:], All: all}
	mine, yours := styleIn(r, "mine"), styleIn(r, "yours")
	if mine == yours || yours != styleIn(&experiments.Report{Results: all, All: all}, "yours") {
		t.Errorf("styles %v and %v", mine, yours)
	}
	var taken []figures.Style
	for _, s := range styles {
		if slices.Contains(taken, s) {
			t.Errorf("two models have the style %v", s)
		}
		taken = append(taken, s)
	}
	if slices.Contains(taken, mine) || slices.Contains(taken, yours) {
		t.Errorf("%v or %v is that of another model", mine, yours)
	}
}

// Four models have bands, those that the paper is about first.
func TestBanded(t *testing.T) {
	got := banded([]string{"constant", "gn-ode", "pre-mult", "original", "peng", "peng15"})
	if want := []string{"peng", "original", "gn-ode", "constant"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := banded([]string{"peng"}); len(got) != 1 {
		t.Errorf("%q of one", got)
	}
}
