package pages

import (
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
)

// The table of costs has the runs of both profiles, and a sum over the studies that the paper prints.
func TestCosts(t *testing.T) {
	d := &Document{Profile: experiments.Medium}
	for _, name := range []string{"table1", "sir", "contact"} {
		study, err := paper.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		run := func(id string, seed uint64, seconds float64) experiments.Result {
			row := experiments.Row{ID: id, Name: id, Untrained: true}
			r := experiments.Result{Run: experiments.Run{Model: row, Seed: seed}}
			if seconds > 0 {
				r.Record = &experiments.Record{Facts: &experiments.Facts{}, Seconds: seconds, Ended: time.Unix(0, 0)}
			}
			return r
		}
		full := &experiments.Report{Study: study, Profile: experiments.Full,
			Results: experiments.Results{run("peng", 0, 0), run("zero", 0, 0)}}
		own := &experiments.Report{Study: study, Profile: experiments.Medium,
			Results: experiments.Results{run("peng", 0, 7200), run("peng", 1, 3600), run("peng", 2, 0)}}
		d.costs = append(d.costs, studyCost{study, map[experiments.Profile]experiments.Estimate{
			experiments.Full: full.Estimate(full, own), experiments.Medium: own.Estimate(full, own)}})
	}
	table := func(of interface{ Markdown() (string, error) }) string {
		text, err := of.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(text), " ")
	}
	costs := table(d.costTable())
	for _, want := range []string{
		"| Heat diffusion and gene regulation | 3.5 days | 0 of 2 | – | roughly 1.5 h, unknown for 1 run | 2 of 3 " +
			"| 3.0 h | 1.5 h |",
		"| The whole paper | – | 0 of 4 | – | roughly 3.0 h, unknown for 2 runs | 4 of 6 | 6.0 h | 3.0 h | | Exchange " +
			"at contact |",
	} {
		if !strings.Contains(costs, want) {
			t.Errorf("no %q in\n%s", want, costs)
		}
	}
	for profile, want := range map[experiments.Profile]string{
		experiments.Full:   "| peng | 0 of 1 | 0 | – | roughly 1.5 h | | zero | 0 of 1 | 0 | – | unknown for 1 run |",
		experiments.Medium: "| peng | 2 of 3 | 0 | 3.0 h | 1.5 h |",
	} {
		runs := table(d.runsTable(&experiments.Report{Study: d.costs[0].study, Profile: profile}))
		if !strings.Contains(runs, want) {
			t.Errorf("profile %s: no %q in\n%s", profile, want, runs)
		}
	}
}
