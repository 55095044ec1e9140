package synthetic_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// Sets of contact have its own rates of events and moderate states, on every family and also where no side fits.
func TestContactWorlds(t *testing.T) {
	for _, family := range graphs.All() {
		for _, nodes := range []int{11, 100} {
			t.Run(fmt.Sprint(family.Name(), " ", nodes), func(t *testing.T) {
				set := generate(t, synthetic.Config{Family: family, Task: synthetic.Contact(0.2), Nodes: nodes, Seed: 1234})
				edges, went, came, pairs := 0.0, 0.0, 0.0, 0.0
				for _, trajectory := range set.Trajectories {
					start := floats.Max(trajectory.Values[0])
					if start < 25 || start > 40 {
						t.Errorf("largest state %g at the start, want 25 to 40", start)
					}
					for k, states := range trajectory.Values {
						if largest := floats.Norm(states, math.Inf(1)); largest > 2*start {
							t.Errorf("largest state %g at observation %d, want at most twice the %g at the start", largest, k, start)
						}
					}
					for k := range trajectory.Events {
						n := float64(trajectory.Pattern.Nodes)
						before, after := trajectory.Snapshots[k], trajectory.Snapshots[k+1]
						for e := range before {
							edges += before[e]
							went += max(0, before[e]-after[e])
							came += max(0, after[e]-before[e])
						}
						pairs += n * n
					}
				}
				// Four standard deviations of independent draws; where an edge goes or is there another cannot come.
				near := func(what string, count, of, p float64) {
					if !(math.Abs(count-of*p) <= 4*math.Sqrt(of*p)) {
						t.Errorf("%s: %g of %g, want about %g", what, count, of, of*p)
					}
				}
				near("edges that go", went, edges, 0.04*(1-0.002))
				near("edges that come", came, pairs-edges, 0.002)
			})
		}
	}
}

// The state observed at an event is the state that the observation before evolves to, moved by the change.
func TestContactMovesAtEvents(t *testing.T) {
	trajectory := generate(t, small(synthetic.Contact(0.2))).Trajectories[0]
	still := generate(t, small(synthetic.Contact(0))).Trajectories[0]
	first, n := trajectory.Events[0], trajectory.Pattern.Nodes
	for k := range first {
		if !slices.Equal(trajectory.Values[k], still.Values[k]) {
			t.Fatalf("states at observation %d, before the first change, depend on kappa", k)
		}
	}
	a, b := make([]float64, n*n), make([]float64, n*n)
	for e, from := range trajectory.Pattern.From {
		at := int(from)*n + int(trajectory.Pattern.To[e])
		a[at], b[at] = trajectory.Snapshots[0][e], trajectory.Snapshots[1][e]
	}
	x := slices.Clone(still.Values[first]) // up to here the graph before is in force
	const steps = 20_000                   // of Euler's method for the flow over the change
	for range steps {
		dx := make([]float64, n)
		for i := range n {
			for j := range n {
				dx[i] += 0.2 * (b[i*n+j] - a[i*n+j]) * (x[j] - x[i])
			}
		}
		floats.AddScaled(x, 1.0/steps, dx)
	}
	moved := fixture.Distance(still.Values[first], x)
	if off := fixture.Distance(trajectory.Values[first], x); !(off <= 1e-3*moved) || moved < 0.1 {
		t.Errorf("states at the first change are off by %g, where the change moves them by %g", off, moved)
	}
}

// A seed decides the set; kappa and rates of events are of its identity.
func TestContactIdentity(t *testing.T) {
	config := synthetic.Config{Family: graphs.Community{}, Task: synthetic.Contact(0.2), Nodes: 100, Seed: 3}
	got, err := config.Identity()
	want := `{"Generation":1,"Family":"community","FamilyParameters":{"Inside":0.25,"Between":0.01},` +
		`"Dynamics":"contact","DynamicsParameters":[0.1,0.2],"Channels":1,"Nodes":100,"Graphs":4,"Ticks":100,` +
		`"Events":12,"Horizon":5,` +
		`"Amplitude":{"Low":25,"High":40},"EventProbability":0.002,"Step":0.01,"Seed":3,"AsPublished":false}`
	if err != nil || got != want {
		t.Errorf("identity %s, %v, want %s", got, err, want)
	}
	config = small(synthetic.Contact(0.2))
	if d := cmp.Diff(generate(t, config), generate(t, config)); d != "" {
		t.Errorf("one seed, two sets: %s", d)
	}
	config.Seed++
	if other := generate(t, config); slices.Equal(other.Trajectories[0].Times, generate(t,
		small(synthetic.Contact(0.2))).Trajectories[0].Times) {
		t.Error("two seeds, one set")
	}
	if got, err := config.Identity(); err != nil || !strings.Contains(got, `"EventProbability":0.005,`) {
		t.Errorf("identity %s, %v, want the rates that the configuration sets", got, err)
	}
}

// Lost edges that grow the states beyond bounds are refused.
func TestContactBlowsUp(t *testing.T) {
	config := synthetic.Config{Family: graphs.Community{}, Task: synthetic.Contact(1), Nodes: 100, EventProbability: 0.004,
		Seed: 1234}
	if set, err := synthetic.Generate(context.Background(), config); !errors.Is(err, dynamics.ErrGrowth) || set != nil {
		t.Errorf("%v, %v with kappa 1 and 8%% of the edges lost, want ErrGrowth", set, err)
	}
}
