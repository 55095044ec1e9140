package synthetic

import "github.com/peng-cde/pengcde-go/dyngraph"

// Series returns the trajectory at the observations at, nil for all. Index names the snapshot at each of them, nil for
// the snapshot in force. Features and targets are the states. Rows are shared with the trajectory, which must have a
// graph and at least one state, as [Generate] returns it.
func (t *Trajectory) Series(at, index []int) *dyngraph.Series {
	if at == nil {
		for k := range t.Times {
			at = append(at, k)
		}
	}
	if index == nil {
		index = pick(t.Index, at)
	}
	channels := len(t.Values[0]) / t.Pattern.Nodes
	values := pick(t.Values, at)
	return &dyngraph.Series{Name: "synthetic", Times: pick(t.Times, at), Pattern: t.Pattern,
		Weights: pick(t.Snapshots, index), Features: values, FeatureSize: channels,
		Targets: values, TargetSize: channels}
}
