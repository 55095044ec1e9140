package catalogue

// What the studies ask, for lists and pages.
const (
	AboutEpidemics = "Forecast the Covid cases of the regions of England, Italy and France two days after the last ones " +
		"seen, from four snapshots: four days of movements between regions, and the cases of eleven days. Errors are mean " +
		"squared errors by region, of cases standardised for each region." + aboutSplits

	AboutTennis = "Forecast how often 1000 Twitter accounts are mentioned during Roland-Garros 2017, two snapshots after " +
		"the last one seen, from nine snapshots of who mentions whom. Errors are mean squared errors by account, of ln(1 + " +
		"mentions). All models have windows of ten snapshots; the paper's DCRNN, ASTGCN and STIDGCN have 13." + aboutSplits

	aboutSplits = "\n\nThe published split (random) draws windows at random, so that training windows share steps with " +
		"tested ones. Beside it stand splits that do not leak: a rotation that tests each window once, with no step " +
		"shared (purged-rotation); and forecasts of each of the last windows from what was known by then " +
		"(rolling-origin). Forecasts without a trained network are the measure: ridge is linear regression " +
		"on a node's visible values and their means over all nodes, and sees no graph."

	AboutTable1 = "Heat diffusion and gene regulation on graphs that change twelve times: a model sees the first states of " +
		"all nodes and the changing graph, and forecasts the states at 80 to 120 later times. It is trained on four " +
		"graphs and tested on four others; each seed has graphs, events, times and initial states of its own." + aboutSizes

	AboutWealth = "Wealth and opinion dynamics on graphs that change, by the protocol of table1." + aboutSizes

	AboutContact = "Slow diffusion, and exchange at contact: when the graph changes, the states move at once, in " +
		"proportion to κ and the change, so that the states depend on the change of the graph by itself. The paper's " +
		"dynamics depend on the graph in force alone, and a field without the derivative of the control contains their " +
		"truth. Here a field that is affine in the derivative does, and one without it does not, unless κ is 0. By the " +
		"protocol of table1." +
		"\n\nThe paper has no such dynamics. Profile medium has 100 nodes and 3 seeds, full 400 and 10; both train until " +
		"the validation error stops falling, at most 2000 epochs. Constant sees no graph."

	AboutWellPosed = "Heat and genes on graphs that change, by the protocol of table1: which settings of a field let " +
		"it train, one at a time from the published field, where the derivative A′ of the control is in every layer, to " +
		"one that is affine in A′; the other fields with the same settings; and fields without A′. Each row has its " +
		"largest gradient norm, the solver's tries and the batches that a guard solved again or skipped beside its " +
		"errors." + aboutSizes

	AboutPublished = "Heat and genes with the defects of the published code: states stand still before each event, and " +
		"models in training are shown changes later than they are, and not all of them." + aboutSizes

	AboutSIR = "Two epidemics on a 10 x 10 grid whose edges change twelve times: with infection rate 0.25 and recovery " +
		"rate 0.7, which the paper calls dying out, and with 0.3 and 0.3, which spreads. A model sees the susceptible, " +
		"infected and removed part of each node and the graph at each observation up to time 1, and names the class. The " +
		"paper's Figure 3 asks whether accuracy and the time of an inference stay level when there are ever more " +
		"observations, and when their times are more or less regular; accuracy under noise on the observations is ours. " +
		"All models have the same data and optimiser, and at most as many epochs." +
		"\n\nThe paper has 50 trajectories of a class for each of training, validation and test, 32 features, three " +
		"layers, steps of 0.1 and at most 2000 epochs, and does not state the number of seeds (profile full, with 10); " +
		"profile medium has 16 trajectories of a class to train on, smaller models, fewer epochs and 3 seeds, so that its " +
		"accuracies do not compare with the paper's."

	AboutAffinity = "What will each country export where next year? A forecast ranks 69 countries as partners for each of " +
		"them, from the trade of earlier years, and is scored by NDCG@10 as in the Temporal Graph Benchmark (TGB). The " +
		"paper's Table 3 does so on TGB's data, by a protocol of its own; TGB's files are read where a folder of theirs is " +
		"named, and trade of 69 countries in 1986 to 2006, in their format, comes with the module." +
		"\n\nForecasts without parameters are hard to beat: Persistent Forecast repeats the newest labels. So models are told " +
		"apart from it by paired differences, each of the last label times forecast by a model trained on those before."

	aboutSizes = "\n\nThe paper has 400 nodes and at most 2000 epochs, and does not state the number of seeds (profile full, " +
		"with 10); profile medium has 100 nodes and 3 seeds, so that its errors do not compare with the paper's. Both " +
		"train until the validation error stops falling, at most 2000 epochs. Constant sees no graph."
)
