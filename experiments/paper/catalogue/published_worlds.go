package catalogue

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// PublishedErrors are the test errors that the paper prints for 400 nodes, mean and half-width of the 95% interval, by
// dynamics and model: community, grid, power law, small world.
var PublishedErrors = map[string]map[string][4][2]float64{
	"heat": {
		"DCRNN":            {{0.722, 1.145}, {70.392, 108.473}, {1.69, 1.456}, {84.69, 105.696}},
		"ASTGCN":           {{2.188, 0.656}, {15.48, 1.757}, {3.849, 0.832}, {8.269, 1.094}},
		"STIDGCN":          {{0.554, 0.393}, {4.297, 0.975}, {0.907, 0.268}, {1.826, 0.24}},
		"STG-NCDE":         {{2.091, 0.645}, {11.989, 1.09}, {3.518, 1.105}, {6.902, 1.303}},
		"Constant":         {{1.936, 0.55}, {11.155, 0.669}, {3.147, 0.85}, {6.286, 1.056}},
		"Graph Neural ODE": {{0.237, 0.322}, {1.001, 0.751}, {0.27, 0.31}, {0.311, 0.268}},
		"Adjacency GN-CDE": {{0.208, 0.24}, {0.691, 0.887}, {0.258, 0.288}, {0.248, 0.24}},
		"Pre Mult GN-CDE":  {{1.968, 0.548}, {12.262, 1.437}, {7.44, 4.458}, {6.829, 0.644}},
		"Original GN-CDE":  {{0.366, 0.4}, {1.324, 0.63}, {0.417, 0.314}, {0.552, 0.47}},
		"PENG-CDE":         {{0.096, 0.051}, {0.481, 0.195}, {0.29, 0.265}, {0.247, 0.215}},
	},
	"gene": {
		"DCRNN":            {{159.095, 149.97}, {28.784, 16.926}, {77.469, 28.178}, {27.3, 11.641}},
		"ASTGCN":           {{13.366, 3.302}, {0.695, 0.178}, {4.722, 0.644}, {0.579, 0.116}},
		"STIDGCN":          {{14.579, 2.815}, {0.633, 0.163}, {4.828, 0.694}, {0.611, 0.162}},
		"STG-NCDE":         {{88.354, 15.126}, {8.753, 0.898}, {20.498, 2.633}, {6.76, 0.787}},
		"Constant":         {{36.307, 2.609}, {1.39, 0.168}, {7.099, 0.382}, {0.772, 0.126}},
		"Graph Neural ODE": {{8.548, 3.212}, {0.167, 0.191}, {0.372, 0.398}, {0.294, 1.308}},
		"Adjacency GN-CDE": {{8.909, 6.311}, {1.476, 2.504}, {0.498, 0.126}, {0.195, 0.046}},
		"Pre Mult GN-CDE":  {{153.084, 149.609}, {2.553, 0.251}, {6.978, 3.045}, {1.591, 0.146}},
		"Original GN-CDE":  {{10.717, 7.079}, {0.457, 0.167}, {0.822, 0.299}, {0.323, 0.154}},
		"PENG-CDE":         {{4.566, 2.78}, {0.247, 0.09}, {0.526, 0.22}, {0.186, 0.484}},
	},
	"wealth": {
		"DCRNN":            {{2.639, 1.981}, {22.619, 17.115}, {113.564, 236.126}, {200.486, 280.387}},
		"ASTGCN":           {{3.431, 1.224}, {19.694, 2.986}, {5.153, 1.184}, {9.246, 2.204}},
		"STIDGCN":          {{1.862, 0.947}, {7.296, 2.547}, {2.124, 1.012}, {3.133, 1.286}},
		"STG-NCDE":         {{36.087, 2.454}, {44.677, 3.755}, {37.148, 2.742}, {41.046, 2.205}},
		"Constant":         {{2.504, 0.473}, {14.157, 1.746}, {3.682, 0.873}, {7.445, 1.2}},
		"Graph Neural ODE": {{0.878, 0.388}, {1.898, 1.342}, {0.95, 0.66}, {0.94, 0.185}},
		"Adjacency GN-CDE": {{0.904, 0.493}, {2.193, 1.721}, {1.075, 0.847}, {1.297, 0.765}},
		"Pre Mult GN-CDE":  {{7.74, 1.122}, {24.522, 6.594}, {39.715, 32.698}, {16.568, 6.902}},
		"Original GN-CDE":  {{1.577, 0.781}, {6.582, 3.273}, {2.406, 0.965}, {3.076, 1.193}},
		"PENG-CDE":         {{0.522, 0.316}, {4.273, 3.818}, {0.863, 0.33}, {0.813, 0.627}},
	},
	"opinion": {
		"DCRNN":            {{20.659, 32.149}, {92.165, 132.026}, {91.687, 81.638}, {173.554, 183.913}},
		"ASTGCN":           {{22.001, 1.519}, {34.855, 2.37}, {22.517, 1.49}, {27.439, 1.554}},
		"STIDGCN":          {{2.434, 1.562}, {6.977, 2.451}, {2.724, 1.53}, {3.933, 1.567}},
		"STG-NCDE":         {{57.495, 9.245}, {85.405, 6.479}, {59.446, 9.294}, {68.092, 8.988}},
		"Constant":         {{22.989, 1.372}, {33.124, 1.275}, {23.775, 1.48}, {27.239, 1.929}},
		"Graph Neural ODE": {{0.665, 0.62}, {2.338, 1.277}, {3.073, 6.114}, {0.779, 0.417}},
		"Adjacency GN-CDE": {{0.777, 0.798}, {1.912, 0.566}, {0.802, 0.652}, {0.909, 0.416}},
		"Pre Mult GN-CDE":  {{38.717, 6.229}, {64.825, 14.066}, {61.226, 47.714}, {88.503, 74.608}},
		"Original GN-CDE":  {{1.06, 0.436}, {6.963, 4.698}, {6.781, 11.159}, {5.223, 4.24}},
		"PENG-CDE":         {{0.525, 0.581}, {1.851, 1.488}, {0.674, 0.606}, {1.161, 6.011}},
	},
}

// publishedImprovements are the percentages that the paper prints of how much lower the error of PENG-CDE is than the
// error of Original GN-CDE: community, grid, power law, small world. For gene its errors give other percentages.
var publishedImprovements = map[string][4]float64{
	"heat":    {73.84, 63.70, 30.44, 55.20},
	"gene":    {67.06, 45.90, 39.71, 54.14},
	"wealth":  {66.89, 35.09, 64.13, 73.57},
	"opinion": {50.52, 73.41, 90.07, 77.77},
}

// PublishedImprovement returns the printed improvement in a world, and the improvement that the paper's errors give.
func PublishedImprovement(dynamics, family string) (printed, byErrors float64, ok bool) {
	a, ok := PublishedError(dynamics, family, PublishedRows["original"])
	b, too := PublishedError(dynamics, family, PublishedRows["peng"])
	at := slices.IndexFunc(Families(), func(f graphs.Family) bool { return f.Name() == family })
	if !ok || !too {
		return 0, 0, false
	}
	return publishedImprovements[dynamics][at], 100 * (a[0] - b[0]) / a[0], true
}

// PublishedRows are the names of the paper's rows.
var PublishedRows = map[string]string{
	"constant": "Constant", "gn-ode": "Graph Neural ODE", "adjacency": "Adjacency GN-CDE", "pre-mult": "Pre Mult GN-CDE",
	"original": "Original GN-CDE", "peng": "PENG-CDE",
	"dcrnn": "DCRNN", "astgcn": "ASTGCN", "stidgcn": "STIDGCN", "stg-ncde": "STG-NCDE",
}

// PublishedError is the one of a row of the paper in a world.
func PublishedError(dynamics, family, row string) (value [2]float64, ok bool) {
	errors, ok := PublishedErrors[dynamics][row]
	for i, f := range Families() {
		if f.Name() == family {
			return errors[i], ok
		}
	}
	return value, false
}

// PublishedWeights are what the paper prints of the maps' weights after training on heat: layer 1 on A and A', layer 2
// on A and A'.
var PublishedWeights = map[equivariant.Map][4]float64{
	equivariant.IdentityMap:     {1.6129, 0.9591, 1.0747, 0.91},
	equivariant.TransposeMap:    {0.1026, -0.021, -0.027, 0.0535},
	equivariant.KeepDiagonal:    {0.0297, -0.0754, 0.0072, 0.0317},
	equivariant.RowsOnRows:      {0.7753, -0.0635, 0.0358, -0.0114},
	equivariant.RowsOnColumns:   {0.3407, 0.0015, -0.0242, 0.079},
	equivariant.RowsOnDiagonal:  {-0.0875, -0.0222, -0.0707, 0.0869},
	equivariant.TotalOnAll:      {0.4315, 0.426, 0.0039, 0.002},
	equivariant.TotalOnDiagonal: {-0.0002, -0.0001, 0.0362, 0.0088},
}

// Families lists the published tables' families of graphs, or the named ones among them.
func Families(names ...string) []graphs.Family {
	all := slices.DeleteFunc(graphs.All(), func(f graphs.Family) bool { return f == graphs.Random{} })
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(f graphs.Family) bool { return !slices.Contains(names, f.Name()) })
	}
	return all
}
