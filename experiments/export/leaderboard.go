package export

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// LeaderboardSeeds is the least number of runs on TGB's leaderboard.
const LeaderboardSeeds = 5

// Leaderboard is a record for the leaderboard of the Temporal Graph Benchmark (TGB): the scores of a model on a data
// set over [LeaderboardSeeds] seeds or more, and the runs that they rest on. Make one with [NewLeaderboard].
type Leaderboard struct {
	// Submitter is what no stored run knows.
	Submitter
	Dataset  string `json:"dataset"`
	Model    string `json:"model"` // ID of the row
	Profile  string `json:"profile"`
	Protocol string `json:"protocol"`
	Metric   string `json:"metric"`
	// Test and Validation are over the seeds. A Deterministic model has one run.
	Test          Spread `json:"test"`
	Validation    Spread `json:"validation"`
	Deterministic bool   `json:"deterministic"`
	// Parameters is the number of learnable entries of a network; 0 for other models.
	Parameters int              `json:"parameters,omitzero"`
	Runs       []LeaderboardRun `json:"runs"`
}

// Submitter names a method and who answers for it. The rest is for people to fill in where it is empty.
type Submitter struct {
	Method  string `json:"method"`
	Contact string `json:"contact"`
	Paper   string `json:"paper"`
	Code    string `json:"code"`
}

// Spread is the mean of scores and their standard deviation, with n-1 in its denominator; 0 for one score.
type Spread struct {
	Mean              float64 `json:"mean"`
	StandardDeviation float64 `json:"std"`
}

// LeaderboardRun is a stored run. Identity has everything that decides its outcome, and Name is its file.
type LeaderboardRun struct {
	Name       string            `json:"name"`
	Seed       uint64            `json:"seed"`
	Test       float64           `json:"test"`
	Validation float64           `json:"validation"`
	Seconds    float64           `json:"seconds"`
	PeakBytes  int64             `json:"peak_bytes,omitzero"`
	Ended      time.Time         `json:"ended"`
	Machine    string            `json:"machine"`
	Versions   map[string]string `json:"versions"`
	Identity   json.RawMessage   `json:"identity"`
}

// NewLeaderboard returns the record of runs of one model on one data set by one protocol. The error wraps
// [experiments.ErrNotStored] if a run is missing, failed or diverged. It wraps [experiments.ErrInput] if there are
// fewer than [LeaderboardSeeds] seeds of a model that draws random numbers, or if its profile is
// [experiments.Quick].
func NewLeaderboard(results experiments.Results, profile experiments.Profile, by Submitter) (*Leaderboard, error) {
	for _, key := range []string{"model", "data", "protocol"} {
		if values := results.Values(key); len(values) != 1 {
			return nil, errs.New(experiments.ErrInput, "experiments/export: runs with %s %q, want one", key, values)
		}
	}
	model, first := results[0].Model, results[0].Run
	seeds := make(map[uint64]bool)
	for _, r := range results {
		seeds[r.Seed] = true
	}
	switch {
	case len(seeds) != len(results):
		return nil, errs.New(experiments.ErrInput, "experiments/export: %d runs of %d seeds, want one of each", len(results),
			len(seeds))
	case !model.Untrained && profile == experiments.Quick:
		return nil, errs.New(experiments.ErrInput, "experiments/export: profile %s trains for a few epochs, want %s or %s",
			profile, experiments.Medium, experiments.Full)
	case !model.Untrained && len(seeds) < LeaderboardSeeds:
		return nil, errs.New(experiments.ErrInput, "experiments/export: seeds %v, want %d or more: TGB's leaderboard asks "+
			"for scores over %[2]d runs", slices.Sorted(maps.Keys(seeds)), LeaderboardSeeds)
	}
	if gap := results.Gap(); gap != "" {
		return nil, errs.New(experiments.ErrNotStored, "experiments/export: %s on %s: runs are not complete: %s", model.ID,
			first.Key("data"), gap)
	}
	if by.Method == "" {
		by.Method = model.Name
	}
	l := &Leaderboard{Submitter: by, Dataset: first.Key("data"), Model: model.ID, Profile: string(profile),
		Protocol: first.Key("protocol"), Metric: "NDCG@10", Deterministic: model.Untrained,
		Parameters: results[0].Facts().Parameters}
	test, validation := results.Scores(string(affinity.Test)), results.Scores(string(affinity.Validation))
	l.Test, l.Validation = spread(test), spread(validation)
	for i, r := range results {
		record := r.Record
		l.Runs = append(l.Runs, LeaderboardRun{Name: record.Name(), Seed: r.Seed, Test: test[i], Validation: validation[i],
			Seconds: record.Seconds, PeakBytes: record.Facts.PeakBytes, Ended: record.Ended,
			Machine: record.Machine.String(), Versions: record.Versions, Identity: record.Identity})
	}
	return l, nil
}

func spread(scores []float64) Spread {
	if len(scores) == 1 {
		return Spread{Mean: scores[0]}
	}
	mean, deviation := stat.MeanStdDev(scores, nil)
	return Spread{mean, deviation}
}
