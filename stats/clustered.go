package stats

import "math"

// Clustered returns a test for differences that depend on each other within a cluster, such as errors in several worlds
// that one seed draws. Clusters must be independent. The test is Student's t over the means of the clusters, so three
// clusters count as three values, however many differences each has. of holds the cluster of each difference, in the
// order of the errors; for another number of differences all results are NaN, and Compare returns an error.
//
// Differences of one cluster may depend on each other in any way: of true hypotheses, 5% are rejected at 0.05. For
// designs with different numbers of differences in the clusters this is an approximation.
//
// A. Donner, N. Klar, Design and Analysis of Cluster Randomization Trials in Health Research, Arnold, 2000, on analyses
// of cluster means.
func Clustered[C comparable](of []C) Test {
	return Test{
		CI: func(differences []float64) (float64, float64) {
			if len(differences) != len(of) {
				return math.NaN(), math.NaN()
			}
			return MeanCI(clusterMeans(of, differences))
		},
		P: func(differences []float64) float64 {
			if len(differences) != len(of) {
				return math.NaN()
			}
			return MeanP(clusterMeans(of, differences))
		},
		check: func(differences int) error {
			if differences != len(of) {
				return invalid(ErrRagged, "%d clusters for %d differences, want one for each", len(of), differences)
			}
			return nil
		},
	}
}

// clusterMeans returns the mean of the values in each cluster, in the order in which clusters first occur.
func clusterMeans[C comparable](of []C, values []float64) (means []float64) {
	index := make(map[C]int)
	var counts []float64
	for k, cluster := range of {
		i, found := index[cluster]
		if !found {
			i = len(means)
			index[cluster], means, counts = i, append(means, 0), append(counts, 0)
		}
		means[i] += values[k]
		counts[i]++
	}
	for i := range means {
		means[i] /= counts[i]
	}
	return means
}
