package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/xla"
)

// Planner is a [Learner] that can predict the memory its training takes, as [pengcde.Model] does.
type Planner interface {
	Plan(training []dyngraph.Window, batchSize, steps int) (*pengcde.Plan, error)
}

// errPlanned stops the making of a run once its plan is known.
var errPlanned = errors.New("planned, not made")

// PlanMemory plans the training of the first missing run of each model and returns the plans by model ID; see
// [pengcde.Model.Plan]. It assumes the maximum number of adaptive steps that the model allows, so each plan is an
// upper bound. Where one program trains several seeds together, the plan counts the bytes of the largest set of
// seeds. Models whose training cannot be planned, such as those whose learner is no [Planner], are left out.
// PlanMemory makes data as a run does, in a temporary folder, and does not compute with them.
func (s Study) PlanMemory(ctx context.Context, o Options) (map[string]*pengcde.Plan, error) {
	_, w, err := s.toMake(ctx, o)
	if err != nil {
		return nil, err
	}
	return s.planMemory(ctx, w.programs())
}

// planMemory implements PlanMemory for these programs.
func (s Study) planMemory(ctx context.Context, programs []Results) (map[string]*pengcde.Plan, error) {
	programs = slices.DeleteFunc(programs, func(p Results) bool { return p[0].Model.Untrained })
	if len(programs) == 0 {
		return nil, nil
	}
	seeds := make(map[string]int) // seeds of the largest program, by model
	for _, p := range programs {
		seeds[p[0].Model.ID] = max(seeds[p[0].Model.ID], len(p))
	}
	backend, err := xla.Open(xla.Config{Backend: "go"}) // a plan needs only shapes, so no device is opened
	if err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	defer backend.Close()
	scratch, err := os.MkdirTemp("", "pengcde-plan-")
	if err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	defer os.RemoveAll(scratch)
	all, tried := make(map[string]*pengcde.Plan), make(map[string]bool)
	for _, program := range programs {
		r := program[0]
		if tried[r.Model.ID] {
			continue
		}
		tried[r.Model.ID] = true
		w := &runner{study: s, learners: make(map[string]Learner)}
		p := &planning{scratch: scratch}
		_, err := s.Execute(ctx, &RunContext{runner: w, run: r, backend: backend, planning: p}, r.Run)
		w.closeLearners()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, errPlanned) && p.plan != nil { // the run will hit any other error too, and report it
			if p.seedsTogether {
				multiply(p.plan, int64(seeds[r.Model.ID]))
			}
			all[r.Model.ID] = p.plan
		}
	}
	return all, nil
}

// planning replaces the training in a [RunContext].
type planning struct {
	scratch string // temporary folder for data
	plan    *pengcde.Plan
	// seedsTogether reports whether one program can train several such learners, see [fitTogether].
	seedsTogether bool
}

// multiply scales the plan of one training to n seeds in one program: the tensors get a seed axis.
func multiply(p *pengcde.Plan, seeds int64) {
	bytes := []*int64{&p.Data, &p.Saves, &p.Parameters, &p.Temporary, &p.DeviceBytes, &p.HostBytes}
	if p.Solve != nil {
		bytes = append(bytes, &p.Solve.DeviceBytes, &p.Solve.HostBytes)
	}
	for _, b := range bytes {
		*b *= seeds
	}
}

// of plans the training, and returns the error that stops the making of the run.
func (p *planning) of(learner Learner, training []dyngraph.Window, batchSize int) (err error) {
	planner, ok := learner.(Planner)
	if !ok {
		return errPlanned
	}
	_, p.seedsTogether = learner.(NetworkLearner)
	if p.plan, err = planner.Plan(training, batchSize, 0); err != nil {
		return err
	}
	return errPlanned
}
