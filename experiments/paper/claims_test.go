package paper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/stats"
)

// claimOf is the claim with an ID.
func claimOf(t *testing.T, id string) Claim {
	t.Helper()
	all := Claims()
	at := slices.IndexFunc(all, func(c Claim) bool { return c.ID == id })
	if at < 0 {
		t.Fatalf("no claim %q", id)
	}
	return all[at]
}

// expectVerdict judges a claim, and returns what it says of its cases.
func expectVerdict(t *testing.T, id string, e Evidence, want Verdict, says ...string) {
	t.Helper()
	j, err := claimOf(t, id).Judge(e)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	text := ""
	for _, c := range j.Cases() {
		text += string(c.Outcome) + " " + c.Names + " (" + c.Why + ")\n"
	}
	for _, f := range j.Findings {
		text += f.Group + "/" + f.Case + ": " + string(f.Outcome) + "; " + f.Numbers + "\n"
	}
	text += "left out " + strings.Join(j.Left, ", ")
	if j.Verdict != want {
		t.Errorf("%s %s, want %s:\n%s", id, j.Verdict, want, text)
	}
	for _, s := range says {
		if !strings.Contains(text, s) {
			t.Errorf("%s: no %q in\n%s", id, s, text)
		}
	}
}

// Outcomes of cases make verdicts.
func TestVerdictsOfCases(t *testing.T) {
	of := func(outcomes ...Outcome) (all []Finding) {
		for i, o := range outcomes {
			all = append(all, Finding{Group: []string{"heat", "gene"}[i%2], Case: string(rune('A' + i)), Outcome: o})
		}
		return all
	}
	left := of(AsClaimed, AsClaimed)
	left[1].Left = []string{"C diverged, 1 of 3"}
	other := of(AsClaimed, Missing)
	other[0].Substitute = true
	beside := append(of(AsClaimed), Finding{Case: "B", Outcome: Against, Substitute: true, Left: []string{"a run"}})
	for _, c := range []struct {
		name     string
		findings []Finding
		want     Verdict
		first    string
	}{
		{"all", of(AsClaimed, AsClaimed, AsClaimed), Holds, "heat: all 2; gene: B"},
		{"a run is left out", left, HoldsOnlyWhere, "heat: A; gene: B"},
		{"one is against", of(AsClaimed, AsClaimed, Against), HoldsOnlyWhere, "heat: A; gene: B"},
		{"one shows nothing", of(AsClaimed, Unshown), HoldsOnlyWhere, "heat: A"},
		{"one is missing", of(AsClaimed, Missing), HoldsOnlyWhere, "heat: A"},
		{"none, one against", of(Missing, Unshown, Against), DoesNotHold, "heat: C"},
		{"none shows anything", of(Missing, Unshown), NotShown, "gene: B"},
		{"shown on other data", other, NotTested, "heat: A"},
		{"against it on other data", beside, Holds, "heat: A"},
		{"missing", of(Missing, Missing), NotTested, "heat: A; gene: B"},
		{"nothing", nil, NotTested, ""},
	} {
		j, err := Claim{find: func(Evidence) ([]Finding, error) { return c.findings, nil }}.Judge(Evidence{})
		if err != nil || j.Verdict != c.want {
			t.Errorf("%s: %s, want %s, %v", c.name, j.Verdict, c.want, err)
		}
		if cases := j.Cases(); len(cases) > 0 != (c.first != "") || len(cases) > 0 && cases[0].Names != c.first {
			t.Errorf("%s: cases %+v, want first %q", c.name, cases, c.first)
		}
	}
}

// Tests are corrected for all cases of a claim, whether their runs are there or not, and whatever their order.
func TestCasesAreCorrected(t *testing.T) {
	of := func(mean, p float64) Finding {
		return Finding{Numbers: "x", test: &stats.Difference{Mean: mean, P: p}}
	}
	findings := []Finding{of(1, 0.01), of(-1, 0.001), {Outcome: Missing, Numbers: "no run"}, of(-1, 0.03),
		{Outcome: Missing, Substitute: true}}
	if err := correct(findings); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		outcome Outcome
		numbers string
	}{{Against, "x, corrected p 0.030"}, {AsClaimed, "x, corrected p 0.004"}, {Missing, "no run"},
		{Unshown, "x, corrected p 0.060"}, {Missing, ""}} {
		if f := findings[i]; f.Outcome != want.outcome || f.Numbers != want.numbers {
			t.Errorf("case %d: %s, %q, want %s, %q", i, f.Outcome, f.Numbers, want.outcome, want.numbers)
		}
	}
}

// Without runs no claim is judged, each says what it lacks, and all name existing studies.
func TestClaimsWithoutRuns(t *testing.T) {
	quick := &experiments.Report{Profile: experiments.Quick, Results: worldResults(map[string]map[string][]float64{
		"grid": {"original": {4}, "peng": {2}}})}
	seen := make(map[string]bool)
	for _, c := range Claims() {
		if seen[c.ID] || c.Says == "" || c.Printed == "" {
			t.Errorf("claim %+v", c)
		}
		seen[c.ID] = true
		for _, name := range c.Studies {
			if _, err := ByName(name); err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
		}
		for _, e := range []Evidence{{}, {Reports: map[string]*experiments.Report{"table1": quick}}} {
			j, err := c.Judge(e)
			if err != nil || j.Verdict != NotTested || len(j.Findings) == 0 {
				t.Errorf("%s of nothing: %s, %v, %v", c.ID, j.Verdict, j.Findings, err)
			}
			for _, f := range j.Findings {
				if f.Outcome != Missing || f.Numbers == "" || f.Case == "" {
					t.Errorf("%s of nothing: %+v", c.ID, f)
				}
			}
		}
	}
}

// worldsOf has errors of all models in 12 worlds of each of a study's dynamics; below 0 diverged, NaN is missing.
func worldsOf(w *Worlds, errorOf func(dynamics, id string, block int) float64) *experiments.Report {
	r := &experiments.Report{Study: w.Study, Profile: experiments.Medium}
	for _, task := range w.tasks {
		name := task.Dynamics.Name
		for _, m := range w.models(publishedSize(experiments.Medium)) {
			for block := range 12 {
				result := experiments.Result{Run: experiments.Run{Model: m.Row, Seed: uint64(block / 4),
					Spec: world{worldModel: m},
					Keys: map[string]string{"dynamics": name, "family": families()[block%4].Name()}}}
				facts := &experiments.Facts{Failure: "diverged"}
				e := errorOf(name, m.ID, block)
				if e >= 0 {
					sizes := make([]float64, len(m.maps))
					for i := range sizes {
						if sizes[i] = 0.01; slices.Contains(usedMaps, m.maps[i]) {
							sizes[i] = -0.5 - 0.01*float64(block)
						}
					}
					facts = &experiments.Facts{Parameters: 1, Scores: map[string]float64{"test": e},
						Arrays: map[string][][]float64{mapsOf[0]: {sizes}, mapsOf[1]: {sizes}}}
				}
				if !math.IsNaN(e) {
					result.Record = &experiments.Record{Facts: facts}
				}
				r.Results = append(r.Results, result)
			}
		}
	}
	r.All = r.Results
	return r
}

func onWorlds(errorOf func(dynamics, id string, block int) float64) Evidence {
	return Evidence{Reports: map[string]*experiments.Report{"table1": worldsOf(Table1(), errorOf),
		"table-wealth": worldsOf(TableWealth(), errorOf)}}
}

// Claims on simulated worlds follow the errors, whose scales differ between worlds.
func TestClaimsOnWorlds(t *testing.T) {
	var all []worldAt
	for _, family := range families() {
		all = append(all, worldAt{family: family.Name()})
	}
	full := func(e Evidence) Evidence {
		for _, report := range e.Reports {
			report.Profile = experiments.Full
		}
		return e
	}
	scale := func(block int) float64 { return math.Pow(10, float64(block%4)) * (1 + 0.05*float64(block)) }
	wobble := func(block int) float64 { return 1 + 0.02*float64(block%5) }
	better := onWorlds(func(dynamics, id string, block int) float64 {
		switch id {
		case "peng":
			return scale(block) * wobble(block) * math.Exp(printedRatio(dynamics, "peng", "original", all).mean) / 1.04
		case "pre-mult", "pre-mult-fair":
			return 5 * scale(block) * wobble(block+1)
		}
		return scale(block)
	})
	for _, id := range []string{"fusions", "untouched", "rivals", "equivariance"} {
		expectVerdict(t, id, better, Holds)
	}
	expectVerdict(t, "weights", better, Holds,
		"row sums on rows: as claimed; weight -0.555 ± 0.023 (the paper: 0.775), its size 0.555, the "+
			"mean size of other maps 0.010")
	expectVerdict(t, "improvement", better, NotTested, "100 nodes, where the paper has 400")
	expectVerdict(t, "improvement", full(better), Holds)
	alone := onWorlds(func(dynamics, id string, block int) float64 { // as much as printed where runs are stored
		switch {
		case block%4 > 2:
			return math.NaN()
		case id == "peng":
			return scale(block) * wobble(block) * math.Exp(printedRatio(dynamics, "peng", "original", all[:3]).mean) / 1.04
		}
		return scale(block)
	})
	expectVerdict(t, "improvement", full(alone), HoldsOnlyWhere, "as claimed heat, gene, wealth, opinion")
	less := onWorlds(func(_, id string, block int) float64 { // a tenth less, everywhere
		if id == "peng" {
			return 0.9 * scale(block) * (1 + 0.001*float64(block%5))
		}
		return scale(block)
	})
	expectVerdict(t, "fusions", less, Holds, "10% lower", "12 of 12 worlds, of 3 seeds, corrected p 0.006")
	expectVerdict(t, "improvement", full(less), DoesNotHold, "against it heat, wealth", "not shown either way gene, opinion")
	expectVerdict(t, "equivariance", less, NotShown, "heat, published start: all 2; heat, our start: all 2")
	once := onWorlds(func(_, id string, block int) float64 { // a tenth less, but where it diverges or the rival does
		switch {
		case id == "peng" && block == 0, id == "constant" && block < 3:
			return -1
		case id == "peng":
			return 0.9 * scale(block) * (1 + 0.001*float64(block%5))
		}
		return scale(block)
	})
	expectVerdict(t, "untouched", once, HoldsOnlyWhere, "as claimed heat: Constant; gene: Constant",
		"9 of 12 worlds, of 3 seeds, and 2 where one of the two diverged, corrected p 0.008",
		"11 of 12 worlds, of 3 seeds, and 1 where one of the two diverged, corrected p 0.131", "not shown either way heat: GN-ODE",
		"left out heat: PENG-CDE diverged, 1 of 12, heat: Constant diverged, 3 of 12")
	differing := onWorlds(func(_, id string, block int) float64 { // lower everywhere but with the last seed, a little
		switch {
		case id == "peng" && block < 8:
			return 0.5 * scale(block)
		case id == "peng":
			return 1.001 * scale(block)
		}
		return scale(block)
	})
	expectVerdict(t, "fusions", differing, NotShown, "not so with every seed, so that p counts as 1")
	failing := onWorlds(func(_, id string, block int) float64 { // a tenth less, but where it diverges
		switch {
		case id == "peng" && block < 3:
			return -1
		case id == "peng":
			return 0.9 * scale(block) * (1 + 0.001*float64(block%5))
		}
		return scale(block)
	})
	expectVerdict(t, "fusions", failing, NotShown, "not shown either way heat: all 3", "left out heat: PENG-CDE diverged, 3 of 12",
		"10% lower")
	worse := onWorlds(func(dynamics, id string, block int) float64 {
		switch {
		case id == "peng" && dynamics == "gene" && block == 3:
			return -1
		case id == "astgcn" || id == "constant" && dynamics != "heat":
			return 0.5 * scale(block) * wobble(block)
		case id == "dcrnn" && (dynamics == "gene" || block > 3):
			return math.NaN()
		case id == "dcrnn", id == "constant":
			return 3 * scale(block) * wobble(block)
		case id == "gn-ode": // as often above as below
			return scale(block) * (1 + 0.1*float64(block%2*2-1)*wobble(block))
		}
		return scale(block)
	})
	expectVerdict(t, "untouched", worse, HoldsOnlyWhere, "as claimed heat: Constant", "against it gene: Constant",
		"not shown either way heat: GN-ODE", "left out gene: PENG-CDE diverged, 1 of 12")
	expectVerdict(t, "rivals", worse, DoesNotHold, "against it heat: ASTGCN", "not yet tested heat: DCRNN",
		"4 of 12 worlds have errors of both, too few to show anything; DCRNN missing, 8 of 12",
		"0 of 12 worlds have errors of both, too few to show anything; PENG-CDE diverged, 1 of 12, DCRNN missing, 12 of 12")
	only := better
	only.Reports = map[string]*experiments.Report{"table1": better.Reports["table1"]}
	expectVerdict(t, "fusions", only, HoldsOnlyWhere, "as claimed heat: all 3; gene: all 3",
		"not yet tested wealth: all 3; opinion: all 3 (no run is stored)")
}

// Weights that are no larger than the weights of other maps are no use of the maps, whatever their sign; where few
// worlds are stored nothing is said.
func TestClaimOnWeights(t *testing.T) {
	r := worldsOf(Table1(), func(string, string, int) float64 { return 1 })
	for i, result := range r.Results {
		if maps := result.Spec.(world).maps; maps != nil {
			sizes := result.Facts().Arrays[mapsOf[0]][0]
			for k, name := range maps {
				switch name {
				case equivariant.RowsOnRows:
					sizes[k] = 0.002 + 0.001*float64(i%3)
				case equivariant.RowsOnColumns:
					sizes[k] = 0.5 * float64(i%2*2-1)
				case equivariant.TotalOnAll:
					sizes[k] = 0.01 + 0.005*float64(i%2*2-1)
				}
			}
		}
	}
	e := Evidence{Reports: map[string]*experiments.Report{"table1": r}}
	expectVerdict(t, "weights", e, HoldsOnlyWhere, "as claimed row sums on columns", "against it row sums on rows",
		"not shown either way total on all entries", "row sums on columns: as claimed; weight 0.000 ± 0.332")
	for i := range r.Results {
		if i%3 > 0 {
			r.Results[i].Record = nil
		}
	}
	expectVerdict(t, "weights", e, NotTested, "PENG-CDE missing, 8 of 12")
}

// Times of epochs are compared at the same number of nodes, and where both were measured.
func TestClaimOnEpochs(t *testing.T) {
	e := Evidence{EpochMachine: "a machine", EpochSeconds: map[string]map[int]float64{
		"peng": {144: 1, 256: 1, 529: 1, 1024: 1}, "pre-mult": {144: 1.1, 256: 0.5, 529: 3}}}
	expectVerdict(t, "epochs", e, HoldsOnlyWhere, "as claimed 529 nodes", "against it 256 nodes",
		"not shown either way 144 nodes", "not yet tested 1024 nodes", "3 s to 1 s, 3.00-fold (the paper: 2.07-fold",
		"a machine")
}

// Claims on series go by the differences of the study's own verdict, of rows with the same ending.
func TestClaimsOnSeries(t *testing.T) {
	ridge, high := made("ridge", true, 1.1, 2, 2.9), made("astgcn", false, 3, 4.1, 5)
	low := made("dcrnn", false, 0.1, 1.02, 1.9)
	alike := made("gn-ode", false, 1.3, 1.9, 3)
	c := compared(Random, ridge, made("peng", false, 1, 2.05, 3), low, high, alike, made("stidgcn", false),
		made("peng-tuned", false), made("dcrnn-tuned", false, 0, 0, 0))
	findings, err := seriesFindings([]comparison{c}, ofSeries)
	if err != nil {
		t.Fatal(err)
	}
	if err := correct(findings); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]Outcome)
	for _, f := range findings {
		got[f.Group+"/"+f.Case] = f.Outcome
	}
	want := map[string]Outcome{"random/DCRNN": Against, "random/ASTGCN": AsClaimed, "random/GN-ODE": Unshown,
		"random/STIDGCN": Missing, "random, tuned/DCRNN-TUNED": Missing}
	for key, outcome := range want {
		if got[key] != outcome {
			t.Errorf("%s: %q, want %q", key, got[key], outcome)
		}
	}
	if len(got) != len(want) {
		t.Errorf("findings %v, want %v", got, want)
	}
}

// Claims on trade go by paired scores, of which more is better.
func TestClaimsOnTrade(t *testing.T) {
	_, r := rankings(t, experiments.Medium, func(run experiments.Run) float64 {
		wobble := 0.001*float64(run.Fold%3) + 0.0003*float64(run.Seed)
		switch run.Model.ID {
		case "peng":
			return 0.9 + wobble
		case "original":
			return 0.7 + 2*wobble
		case "stg-ncde":
			return 0.95 + 1.5*wobble
		case "peng-identities":
			return 0
		}
		return 0.5
	})
	e := Evidence{Reports: map[string]*experiments.Report{"node-affinity": r}}
	expectVerdict(t, "trade", e, NotTested,
		"as claimed other trade, of 69 countries, rotation over label times: GN-CDE",
		"against it other trade, of 69 countries, rotation over label times: STG-NCDE", "not yet tested tgbn-trade: all 2")
	expectVerdict(t, "genre", e, NotTested, "do not come with the module")
	expectVerdict(t, "identities", e, NotTested, "PENG-CDE with source and target identities missing, 24 of 24")
}

// Claims on oversampling go by the changes that the study's own verdict is made of.
func TestClaimsOnOversampling(t *testing.T) {
	_, r := pretended(t, experiments.Medium, func(run experiments.Run, s sampling) *experiments.Facts {
		part, wobble := float64(s.observations-20)/180, 0.001*float64(run.Seed)
		switch run.Model.ID {
		case "dcrnn":
			return scored(0.95-0.4*part+wobble, math.Pow(9, part)+wobble)
		case "astgcn", "stidgcn":
			return scored(0.6+0.3*part+wobble, 1+wobble)
		case "original":
			return scored(0.5+0.01*(float64(run.Seed)-1), 2+0.1*part+wobble)
		case "stg-ncde":
			if s.shape > 0 {
				return scored(0.6+0.003*s.shape+wobble, 1)
			}
			return nil
		}
		return scored(0.9+wobble, 2+0.1*part+wobble)
	})
	e := Evidence{Reports: map[string]*experiments.Report{"sir": r}}
	expectVerdict(t, "oversampling", e, HoldsOnlyWhere, "as claimed PENG-CDE", "not shown either way Original GN-CDE",
		"not yet tested STG-NCDE (missing, 30 of 30)")
	expectVerdict(t, "oversampling-discrete", e, HoldsOnlyWhere, "as claimed DCRNN (mended)",
		"against it ASTGCN (mended), STIDGCN (mended)")
	expectVerdict(t, "inference", e, HoldsOnlyWhere, "as claimed in a batch: PENG-CDE, Original GN-CDE; one alone: PENG",
		"not yet tested in a batch: STG-NCDE; one alone: STG-NCDE")
	expectVerdict(t, "inference-discrete", e, HoldsOnlyWhere, "as claimed in a batch: DCRNN (mended); one alone: DCRNN",
		"against it in a batch: ASTGCN (mended), STIDGCN (mended)")
	expectVerdict(t, "irregular", e, HoldsOnlyWhere, "as claimed PENG-CDE", "against it STG-NCDE")
}

// The paper's exhibits name studies that there are, and the order has all of them once.
func TestExhibits(t *testing.T) {
	for _, x := range Exhibits() {
		if len(x.Studies) == 0 || x.Shows == "" {
			t.Errorf("%+v", x)
		}
		for _, name := range x.Studies {
			if _, err := ByName(name); err != nil {
				t.Errorf("%s: %v", x.Name, err)
			}
		}
		if x.Items == nil {
			continue
		}
		for _, e := range []Evidence{{}, onWorlds(func(string, string, int) float64 { return 1 })} {
			if _, err := x.Items(e); err != nil {
				t.Errorf("%s: %v", x.Name, err)
			}
		}
	}
	var names []string
	for _, s := range InOrder() {
		names = append(names, s.Name)
	}
	want := "table1 sir epidemics twitter-tennis node-affinity table-wealth well-posed contact table1-as-published"
	if strings.Join(names, " ") != want {
		t.Errorf("order %q", names)
	}
	items, err := epochsTable(Evidence{EpochMachine: "x", EpochSeconds: map[string]map[int]float64{"peng": {529: 0.284}}})
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	text := items[0].(interface{ String() string }).String()
	for _, want := range []string{"529 nodes", "0.28 (0.57)", "– (9.15)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestPercent(t *testing.T) {
	for difference, want := range map[float64]string{0: "0% lower", math.Log(0.5): "50% lower",
		math.Log(1.25): "25% higher", math.Log(20): "20 times higher", math.Log(1e-5): "1e+05 times lower"} {
		if got := percent(difference); got != want {
			t.Errorf("%g: %q, want %q", difference, got, want)
		}
	}
}
