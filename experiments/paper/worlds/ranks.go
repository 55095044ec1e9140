package worlds

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// ranks draws the diagrams of the study, first for all dynamics, then for each.
func (w Worlds) ranks(r *experiments.Report, drawn *catalogue.Drawn) {
	if !r.Comparable() {
		return
	}
	all := catalogue.BlocksOf(r.Results, string(OnTest))
	all.Ratios = true
	all.Each = "dynamics on a family of graphs with a seed, which draws them"
	all.Dependence = prose.Text("blocks")
	dynamics := r.Results.Values("dynamics")
	if len(dynamics) > 1 {
		figure, err := catalogue.CriticalDifference(w.Name+", all dynamics: models by test error", all)
		drawn.Add(w.Name+"-ranks", figure, err)
	}
	for _, v := range w.seen(r.Results) {
		if v.columns != "family" { // worlds that share their graphs are not separate blocks
			continue
		}
		one := catalogue.BlocksOf(v.of(r.Results), string(OnTest))
		one.Ratios = true
		one.Each = "a family of graphs with a seed, which draws them"
		one.Dependence = all.Dependence
		figure, err := catalogue.CriticalDifference(fmt.Sprintf("%s, %s: models by test error", w.Name, v.name), one)
		drawn.Add(w.Name+"-"+v.keys["dynamics"]+"-ranks", figure, err)
	}
}
