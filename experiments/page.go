package experiments

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/figures"
)

// Page is what a page on a study has beside its tables.
type Page struct {
	// Verdict says in a sentence what the runs show, whether it pleases or not; Details are the figures behind it, a line
	// each.
	Verdict string
	Details []string
	// Overviews is the number of tables that Show begins with which stand for the others: those are folded away. 0 folds
	// none.
	Overviews int
	Figures   []PageFigure
}

// PageFigure is a figure with the name of its file, without extension.
type PageFigure struct {
	Name string
	*figures.Figure
}

// Origin says where the stored results come from: how many there are, when and on what they were made and how long it
// took, and what is missing or diverged.
func (r *Report) Origin() string {
	made := r.Results.Made()
	text := fmt.Sprintf("%d of %d planned runs of profile %s are stored", len(made), len(r.Results), r.Profile)
	if len(made) == 0 {
		return text + "."
	}
	var machines, versions []string
	seconds := 0.0
	add := func(all *[]string, text string) {
		if !slices.Contains(*all, text) {
			*all = append(*all, text)
		}
	}
	for _, result := range made {
		seconds += result.Record.Seconds
		if !result.Model.Untrained {
			add(&machines, result.Record.Machine.String())
		}
		for _, name := range []string{"gomlx", "go-xla"} {
			if v := result.Record.Versions[name]; v != "" {
				add(&versions, name+" "+v)
			}
		}
	}
	ended := func(a, b Result) int { return a.Record.Ended.Compare(b.Record.Ended) }
	when := slices.MinFunc(made, ended).Record.Ended.Format(time.DateOnly)
	if last := slices.MaxFunc(made, ended).Record.Ended.Format(time.DateOnly); last != when {
		when += " to " + last
	}
	text += fmt.Sprintf(", of generation %d of the numerics, made %s in %s summed", generation, when, hours(seconds))
	slices.Sort(versions)
	if len(machines) > 0 {
		text += " on " + strings.Join(machines, " and ")
	}
	text += fmt.Sprintf(" with %s.", strings.Join(versions, ", "))
	var gaps []string
	for _, id := range r.Models() {
		if results := r.Results.Where("model", id); results.Gap() != "" {
			gaps = append(gaps, fmt.Sprintf("%s (%s)", results[0].Model.Name, results.Gap()))
		}
	}
	if len(gaps) > 0 {
		text += " Not complete: " + strings.Join(gaps, ", ") + "."
	}
	return text
}
