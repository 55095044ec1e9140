package paper

// Claim is one of the paper's, in our words.
type Claim struct {
	// ID is for links.
	ID string
	// Says is the claim, Printed where the paper has it.
	Says, Printed string
	// Studies are those whose runs judge it.
	Studies []string
	// find says what the evidence shows, case by case.
	find func(Evidence) ([]Finding, error)
}

// The models that the paper compares PENG-CDE with, by ID of their rows.
var (
	fusions   = []string{"original", "adjacency", "pre-mult"}
	untouched = []string{"gn-ode", "constant"} // not driven by a control path
	rivals    = []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde"}
	ofSeries  = []string{"original", "gn-ode", "stg-ncde", "dcrnn", "astgcn", "stidgcn"}
)

// Claims are the paper's claims, in its order. Each is judged from stored runs alone.
func Claims() []Claim {
	simulated := []string{"table1", "table-wealth"}
	return []Claim{
		{ID: "fusions", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "PENG-CDE forecasts node dynamics on graphs that change with a lower error than GN-CDEs with other fusions " +
				"of A and A': Original, Adjacency, Pre-Mult.",
			find: below("peng", fusions)},
		{ID: "improvement", Studies: simulated, Printed: "Table 1 and its appendix, last row",
			Says: "PENG-CDE lowers the error of the Original GN-CDE by as much as the table says.",
			find: Evidence.improvement},
		{ID: "untouched", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "PENG-CDE has a lower error than Graph Neural ODE, and than Constant, which sees no graph.",
			find: below("peng", untouched)},
		{ID: "rivals", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "PENG-CDE has a lower error than DCRNN, ASTGCN, STIDGCN and STG-NCDE.",
			find: below("peng", rivals)},
		{ID: "equivariance", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "A fusion that is not permutation equivariant, Pre-Mult, forecasts worse than the equivariant fusions of " +
				"the Original and the Adjacency GN-CDE.",
			find: Evidence.equivariance},
		{ID: "oversampling", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "Equations that the observations drive keep their accuracy when there are ever more observations.",
			find: changesOf("observations", expectation{controlled, []direction{staysLevel, rises}})},
		{ID: "oversampling-discrete", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "Networks in discrete steps lose accuracy when there are ever more observations.",
			find: changesOf("observations", expectation{discreteIDs, []direction{falls}})},
		{ID: "inference", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "The time of an inference of such equations does not grow with the number of observations.",
			find: changesOf("inference", expectation{controlled, []direction{staysLevel, falls}})},
		{ID: "inference-discrete", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "The time of an inference of networks in discrete steps grows with the number of observations.",
			find: changesOf("inference", expectation{discreteIDs, []direction{rises}})},
		{ID: "irregular", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "Equations that the observations drive keep their accuracy however irregular the times of observation are.",
			find: changesOf("shape", expectation{controlled, []direction{staysLevel}})},
		{ID: "covid", Studies: []string{"epidemics"}, Printed: "Table 2",
			Says: "PENG-CDE forecasts the Covid cases of England's regions with a lower error than the other models.",
			find: onSeries("epidemics", "england", ofSeries)},
		{ID: "tennis", Studies: []string{"twitter-tennis"}, Printed: "Table 2",
			Says: "PENG-CDE forecasts mentions during a tennis tournament with a lower error than the other models.",
			find: onSeries("twitter-tennis", "", ofSeries)},
		{ID: "trade", Studies: []string{"node-affinity"}, Printed: "Table 3",
			Says: "PENG-CDE ranks partners in trade with a higher NDCG@10 than GN-CDE and STG-NCDE.",
			find: ranksAbove("peng", []string{"original", "stg-ncde"}, "tgbn-trade", "agtpa-trade")},
		{ID: "genre", Studies: []string{"node-affinity"}, Printed: "Table 3",
			Says: "PENG-CDE ranks genres of music with a higher NDCG@10 than GN-CDE, STG-NCDE and the heuristics.",
			find: ranksAbove("peng", []string{"original", "stg-ncde", persistentID, "moving-average"}, "tgbn-genre")},
		{ID: "identities", Studies: []string{"node-affinity"}, Printed: "Table 3",
			Says: "Identities of source and target raise the NDCG@10 of PENG-CDE on trade.",
			find: ranksAbove("peng-identities", []string{"peng"}, "tgbn-trade", "agtpa-trade")},
		{ID: "weights", Studies: []string{"table1"}, Printed: "Table 4",
			Says: "Trained on heat, PENG-CDE uses more than A itself: in its first layer the maps that sum rows and that take " +
				"the total of A gain weights.",
			find: Evidence.weights},
		{ID: "epochs", Studies: nil, Printed: "the table of times of training",
			Says: "An epoch of Pre-Mult takes longer than one of PENG-CDE.",
			find: Evidence.epochs},
	}
}

// JudgedBy says how claims are judged, for a page that shows verdicts.
const JudgedBy = "A verdict is computed from stored runs, case by case. The difference from a rival is shown by a " +
	"paired test, at 0.05 after Holm's correction for the rivals of a case: simulated worlds, that is families of " +
	"graphs with a seed, are compared by signed ranks of the ratio of errors; series and trade by differences over " +
	"seeds or tested windows, whose variance counts what they share. Improvements are against the claim where their " +
	"95% interval rules out what the paper prints. Changes of accuracy and of time are judged over seeds, sizes of " +
	"weights over worlds, by 95% intervals; seconds of an epoch by a factor of 1.25. A claim holds where all its cases " +
	"are as claimed and no run is left out; it holds only where some are; it does not hold where none is " +
	"and in some the opposite is shown. Else it is not yet tested: no run is stored, or those that are show nothing " +
	"either way. A model that diverged in a simulated world has the largest loss there."
