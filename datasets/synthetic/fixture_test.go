package synthetic

import (
	"context"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// union puts dense matrices [J, n, n] on the union of their entries that are not zero.
func union(t *testing.T, matrices fixture.Array) (*dyngraph.Pattern, [][]float64) {
	t.Helper()
	n := matrices.Dims[1]
	var from, to []int
	for j := range matrices.Dims[0] {
		for e, w := range matrices.Row(j).Data {
			if w != 0 {
				from, to = append(from, e/n), append(to, e%n)
			}
		}
	}
	pattern, _, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	snapshots := make([][]float64, matrices.Dims[0])
	for j := range snapshots {
		for e := range pattern.From {
			snapshots[j] = append(snapshots[j], matrices.Row(j).Data[int(pattern.From[e])*n+int(pattern.To[e])])
		}
	}
	return pattern, snapshots
}

func TestFixtureDatasetHeatGrid16(t *testing.T) {
	file := fixture.Load(t, "dataset_heat_grid16")
	times, start, matrices, y := file.Get("t").Array(), file.Get("x0").Array(), file.Get("A").Array(),
		file.Get("y").Array()
	events, train := file.Get("event_indices").Array().Ints(), file.Get("id_train").Array().Ints()
	interpolation, extrapolation := file.Get("id_inter").Array().Ints(), file.Get("id_extra").Array().Ints()
	c := Config{Task: Heat, AsPublished: true, Ticks: len(train) + len(interpolation)}.withDefaults()

	set := &Set{}
	set.divide(c.Ticks, times.Dims[1], interpolation)
	if !slices.Equal(set.Train, train) || !slices.Equal(set.Extrapolation, extrapolation) {
		t.Errorf("train %v, extrapolation %v, want %v, %v", set.Train, set.Extrapolation, train, extrapolation)
	}
	if c.times() != times.Dims[1] || len(interpolation) != len(drawInterpolation(c.Ticks, stream(0, 0, 0))) {
		t.Errorf("%d times, want %d; %d for interpolation, want %d", c.times(), times.Dims[1],
			len(drawInterpolation(c.Ticks, stream(0, 0, 0))), len(interpolation))
	}
	for b := range file.Get("batch").Int() {
		trajectory := Trajectory{Times: times.Row(b).Data, Events: events, Index: graphs.InForce(events, c.times())}
		trajectory.Pattern, trajectory.Snapshots = union(t, matrices.Row(b))
		if err := trajectory.simulate(context.Background(), c, start.Row(b).Data); err != nil {
			t.Fatal(err)
		}
		fixture.Close(t, "values", slices.Concat(trajectory.Values...), y.Row(b).Data, 1e-13)
		set.Trajectories = append(set.Trajectories, trajectory)
	}
	// The events of the last sample hold for all; the events that the file has of the others were drawn and not used.
	last := len(set.Trajectories) - 1
	fixture.Close(t, "times of events", set.Trajectories[last].EventTimes(),
		file.Get("events_time_per_sample").Array().Row(last).Data, 0)
	full := file.Get("graph_index_full").Array().Ints()
	if !slices.Equal(set.Trajectories[0].Index, full) {
		t.Errorf("snapshots in force %v, want %v", set.Trajectories[0].Index, full)
	}
	want := file.Get("graph_index_train_as_reference").Array().Ints()
	if got := set.TrainingIndex(true); !slices.Equal(got, want) {
		t.Errorf("snapshots shown in training, as published: %v, want %v", got, want)
	}
	for k, got := range set.TrainingIndex(false) {
		if got != full[train[k]] {
			t.Errorf("snapshot shown at training observation %d is %d, want %d", k, got, full[train[k]])
		}
	}
}
