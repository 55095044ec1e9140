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
	find func(Evidence) ([]Case, error)
}

// The models that the paper compares PENG-CDE with, by ID of their rows.
var (
	fusions   = []string{"original", "adjacency", "pre-mult"}
	untouched = []string{"gn-ode", "constant"} // not driven by a control path
	networks  = []string{"dcrnn", "astgcn", "stidgcn", "stg-ncde"}
	ofSeries  = []string{"original", "gn-ode", "stg-ncde", "dcrnn", "astgcn", "stidgcn"}
)

// Claims are the paper's claims, in its order. Each is judged from stored runs alone.
func Claims() []Claim {
	simulated := []string{"table1", "table-wealth"}
	return []Claim{
		{ID: "fusions", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "PENG-CDE forecasts node dynamics on graphs that change with a lower error than GN-CDEs with other fusions " +
				"of A and A': Original, Adjacency, Pre-Mult.",
			find: below("peng", fusions, OnTest)},
		{ID: "improvement", Studies: simulated, Printed: "Table 1 and its appendix, last row",
			Says: "PENG-CDE lowers the error of the Original GN-CDE by as much as the table says.",
			find: Evidence.improvement},
		{ID: "untouched", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "PENG-CDE has a lower error than Graph Neural ODE, and than Constant, which sees no graph.",
			find: below("peng", untouched, OnTest)},
		{ID: "rivals", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "PENG-CDE has a lower error than DCRNN, ASTGCN, STIDGCN and STG-NCDE.",
			find: below("peng", networks, OnTest)},
		{ID: "equivariance", Studies: simulated, Printed: "Table 1 and its appendix",
			Says: "A fusion that is not permutation equivariant, Pre-Mult, forecasts worse than the equivariant fusions of " +
				"the Original and the Adjacency GN-CDE.",
			find: Evidence.equivariance},
		{ID: "interpolation", Studies: simulated, Printed: "the abstract",
			Says: "PENG-CDE has a lower error than GN-CDEs with other fusions at times between those trained on.",
			find: below("peng", fusions, Interpolated)},
		{ID: "extrapolation", Studies: simulated, Printed: "the abstract",
			Says: "PENG-CDE has a lower error than GN-CDEs with other fusions at times after those trained on.",
			find: below("peng", fusions, Extrapolated)},
		{ID: "parameters", Studies: simulated, Printed: "the abstract",
			Says: "PENG-CDE has far fewer parameters than a fusion that is not permutation equivariant, Pre-Mult.",
			find: Evidence.fewer},
		{ID: "oversampling", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "Equations that the observations drive keep their accuracy when there are ever more observations.",
			find: changesOf(expectation{controlled, []direction{staysLevel, rises}}, "observations")},
		{ID: "oversampling-discrete", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "Networks in discrete steps lose accuracy when there are ever more observations.",
			find: changesOf(expectation{discreteIDs, []direction{falls}}, "observations")},
		{ID: "inference", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "The time of an inference of such equations does not grow with the number of observations.",
			find: changesOf(expectation{controlled, []direction{staysLevel, falls}}, "inference", "inference-alone")},
		{ID: "inference-discrete", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "The time of an inference of networks in discrete steps grows with the number of observations.",
			find: changesOf(expectation{discreteIDs, []direction{rises}}, "inference", "inference-alone")},
		{ID: "irregular", Studies: []string{"sir"}, Printed: "Figure 3",
			Says: "Equations that the observations drive keep their accuracy however irregular the times of observation are.",
			find: changesOf(expectation{controlled, []direction{staysLevel}}, "shape")},
		{ID: "covid", Studies: []string{"epidemics"}, Printed: "Table 2",
			Says: "PENG-CDE forecasts the Covid cases of England's regions with a lower error than the other models.",
			find: onSeries("epidemics", "england", ofSeries)},
		{ID: "tennis", Studies: []string{"twitter-tennis"}, Printed: "Table 2",
			Says: "PENG-CDE forecasts mentions during a tennis tournament with a lower error than the other models.",
			find: onSeries("twitter-tennis", "", ofSeries)},
		{ID: "trade", Studies: []string{"node-affinity"}, Printed: "Table 3",
			Says: "PENG-CDE ranks partners in trade with a higher NDCG@10 than GN-CDE and STG-NCDE.",
			find: ranksAbove("peng", []string{"original", "stg-ncde"}, "tgbn-trade", otherTrade)},
		{ID: "genre", Studies: []string{"node-affinity"}, Printed: "Table 3",
			Says: "PENG-CDE ranks genres of music with a higher NDCG@10 than GN-CDE, STG-NCDE and the heuristics.",
			find: ranksAbove("peng", []string{"original", "stg-ncde", persistentID, "moving-average"}, "tgbn-genre")},
		{ID: "identities", Studies: []string{"node-affinity"}, Printed: "Table 3",
			Says: "Identities of source and target raise the NDCG@10 of PENG-CDE on trade.",
			find: ranksAbove("peng-identities", []string{"peng"}, "tgbn-trade", otherTrade)},
		{ID: "weights", Studies: []string{"table1"}, Printed: "Table 4",
			Says: "Trained on heat, PENG-CDE uses more than A itself: in its first layer the maps that sum rows and that take " +
				"the total of A have larger weights than others.",
			find: Evidence.weights},
		{ID: "epochs", Studies: nil, Printed: "the table of times of training",
			Says: "An epoch of Pre-Mult takes longer than one of PENG-CDE.",
			find: Evidence.epochs},
	}
}

// JudgedBy says how claims are judged, for a page that shows verdicts.
const JudgedBy = "A verdict is computed from stored runs, case by case. The difference from a rival is shown by a " +
	"paired test, at 0.05 after Holm's correction for all cases of a claim, those not run among them. Simulated worlds, " +
	"that is families of graphs with a seed, are compared by signed ranks of the ratio of errors. Worlds of one seed " +
	"share times, events and the start of training, which ranks do not count, and there are few seeds: so a " +
	"difference is shown only where every seed's worlds have it in the mean. A model that diverged in a world has " +
	"the largest loss there; the percentages leave that world out. Series and trade are compared by differences " +
	"over seeds or tested windows, whose variance counts what they share; with few windows such tests reject too " +
	"often, so a p near 0.05 is a hint. How much lower an error is than the Original's is judged on graphs of the " +
	"published size alone, against the interval of what the paper prints. Changes of accuracy and of time are " +
	"judged over seeds by 95% intervals; seconds of an epoch by a factor of 1.25. A claim holds where all its " +
	"cases are as claimed and no run is left out; it holds only where some are; it does not hold where none is " +
	"and in some the opposite is shown. Where runs show nothing either way, it is not shown; where there are " +
	"none, not yet tested. Cases on other data than the paper's are listed, and count for no verdict."
