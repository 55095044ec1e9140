package catalogue

import (
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// A model that is not in the catalogue keeps its style when others are left out, and takes no other model's style.
func TestStyleOfOtherModels(t *testing.T) {
	result := func(id string) experiments.Result {
		return experiments.Result{Run: experiments.Run{Model: experiments.Row{ID: id}}}
	}
	all := experiments.Results{result("mine"), result("peng"), result("yours")}
	r := &experiments.Report{Results: all[1:], All: all}
	mine, yours := StyleIn(r, "mine"), StyleIn(r, "yours")
	if mine == yours || yours != StyleIn(&experiments.Report{Results: all, All: all}, "yours") {
		t.Errorf("styles %v and %v", mine, yours)
	}
	var taken []figures.Style
	for _, m := range Models {
		s := m.Style
		if s == (figures.Style{}) {
			continue
		}
		if slices.Contains(taken, s) {
			t.Errorf("two models have the style %v", s)
		}
		taken = append(taken, s)
	}
	if slices.Contains(taken, mine) || slices.Contains(taken, yours) {
		t.Errorf("%v or %v is that of another model", mine, yours)
	}
}

// Styles are parsed by the names of constants of package figures.
func TestStylesOfModels(t *testing.T) {
	for id, want := range map[string]figures.Style{"peng": {Colour: figures.Blue},
		"original": {Colour: figures.Vermillion, Dash: figures.Dashed}, "gn-ode-tuned": {Colour: figures.Green,
			Dash: figures.DashDot}, "law-of-a": {Colour: figures.Sky, Dash: figures.SparseDotted},
		"recommended": {Colour: figures.Ink}, "adjacency": {Colour: figures.Orange,
			Dash: figures.LongDashed}, "constant": {Colour: figures.Purple, Dash: figures.Dotted},
		"peng-fast": {Colour: figures.Blue, Dash: figures.DashDotDot}} {
		if got, ok := StyleOf(id); !ok || got != want {
			t.Errorf("%s: %v, %t, want %v", id, got, ok, want)
		}
	}
}
