package ode

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// Plan predicts the cost of a solve and its pullback.
type Plan struct {
	// Exact reports whether the steps are known in advance ([Constant], [Given]). All counts then hold exactly for a run
	// that does not fail, but for the bytes of loops on the device. Otherwise they are upper bounds, reached if every
	// sample takes Config.MaxSteps tries and accepts each. The work of one sample is StepEvaluations per try, and one or
	// two evaluations to start.
	Exact bool
	// Steps and Evaluations hold Stats.Accepted and Stats.Evaluations of each sample.
	Steps, Evaluations []int
	// StepEvaluations is the number of evaluations of the field in a try.
	StepEvaluations int
	// Replayed and PullbackEvaluations are the counts of [Gradients] for the first pullback: rounds taken again, and
	// evaluations of the field for the whole batch. Evaluations that differentiate the field are not counted; their
	// number is the same for each round.
	Replayed, PullbackEvaluations int
	// States is the maximum number of states kept at once for the pullback, and StateBytes the size of one state.
	States     int
	StateBytes int64
	// HostBytes is the maximum size of the host memory kept for the pullback. DeviceBytes is the maximum size of this
	// package's tensors on the device at one time, in the solve or the pullback: the states kept, the inputs and
	// results of a step, sums of gradients. It does not include the few numbers per sample (such as times), z0, args,
	// the cotangent, and the temporary memory of a compiled program. The last is enough for one step, however many
	// steps there are: see [Solver.Temporary]. With loops on the device ([Loop]), DeviceBytes is an upper bound for a
	// run in which the host takes no try.
	DeviceBytes, HostBytes int64

	kept int // states kept at the end of the solve
}

// Plan predicts the cost of [Solver.Run] and one [Solution.Pullback], without evaluating the field.
func (s *Solver) Plan(p Problem) (*Plan, error) {
	control, times, stops, err := s.check(p)
	if err != nil {
		return nil, err
	}
	limit, err := p.limit()
	if err != nil {
		return nil, err
	}
	ends, offsets, known, err := s.knownSteps(control, times, stops, p.Continuous)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Exact: known, StepEvaluations: s.method.stages() - 1, StateBytes: stateBytes(p.Z0)}
	rounds := most(ends)
	for b, row := range times {
		steps, start := control.maxSteps, 2
		if !p.Continuous {
			start += len(stops[b])
		}
		if known {
			steps, start = len(ends[b]), slopes(offsets[b])
		}
		if row[0] == row[len(row)-1] {
			steps, start = 0, 0
		}
		rounds = max(rounds, steps)
		plan.Steps = append(plan.Steps, steps)
		plan.Evaluations = append(plan.Evaluations, start+steps*plan.StepEvaluations)
	}
	if rounds > rk.Most {
		return nil, errs.New(ErrInput, "pengcde/ode: plan of %d steps, want at most %d: plan with the number "+
			"that a shorter run took", rounds, rk.Most)
	}
	passes := rounds + 1 // of the pullback
	saves := []int{1}    // maximum over the samples in each round; a single entry bounds all rounds
	if p.Save == AtTimes {
		saves[0] = len(times[0])
	}
	pulls := saves[0] // the same for the pullback
	jumpSlopes := 0   // slopes at jumps, which have a pullback of their own; an upper bound if steps are not known
	var jumps []bool  // rounds that start at a jump
	if known {
		jumps = atJumps(offsets)
		at := slices.Clone(times)
		for b := range at {
			if p.Save == EveryStep {
				at[b] = append([]float64{times[b][0]}, ends[b]...)
			}
		}
		all := s.method.plan(at, ends, offsets)
		passes, pulls, saves = len(all), 1, savesBySteps(at, ends)
		for _, round := range all {
			pulls = max(pulls, most(round.step))
			if round.before != nil {
				jumpSlopes++
			}
		}
	} else if !p.Continuous {
		for _, row := range stops {
			jumpSlopes += len(row)
		}
	}
	var r scheduleCost
	if !p.Forget {
		r = simulateSchedule(newCheckpointPolicy(limit, rounds, known), rounds, limit, jumps)
		if !known && jumpSlopes > 0 {
			r.renewed = r.replayed
		}
		plan.Replayed, plan.PullbackEvaluations = r.replayed,
			r.pieces+r.renewed+(r.replayed+passes)*plan.StepEvaluations+jumpSlopes
	}
	plan.kept, plan.States = r.kept, r.most
	if capacity := s.loopCapacity(control, p, stops); capacity > 0 {
		plan.addLoops(s, p, rounds, capacity)
		return plan, nil
	}
	plan.addMarch(s, p, rounds, r.held, saves, jumps)
	if !p.Forget {
		renewed := 0
		for _, jump := range jumps {
			if jump {
				renewed++
			}
		}
		plan.addPullback(s, p, rounds, renewed, pulls > rowsFor(pulls, p.Z0.Shape()))
	}
	return plan, nil
}

// savesBySteps returns, for each round of steps with the given ends, the maximum number of saves of a sample.
func savesBySteps(times, ends [][]float64) []int {
	saves := make([]int, most(ends))
	for b, row := range times {
		next, t := 0, row[0]
		for next < len(row) && row[next] == t {
			next++
		}
		for round, end := range ends[b] {
			first := next
			for next < len(row) && within(row[next], t, end) {
				next++
			}
			saves[round], t = max(saves[round], next-first), end
		}
	}
	return saves
}

// atJumps marks the rounds in which at least one sample starts its step at a jump.
func atJumps(offsets [][]float64) []bool {
	jumps := make([]bool, max(most(offsets), 1)-1)
	for _, row := range offsets {
		for round, offset := range row[:len(row)-1] { // no step starts at the last time
			jumps[round] = jumps[round] || offset != 0
		}
	}
	return jumps
}

// addMarch adds the tensors of a solve, counted in states. held are the states kept for the pullback after each round;
// saves is the maximum number of saves of a sample in each round, or a single bound for all rounds.
func (plan *Plan) addMarch(s *Solver, p Problem, rounds int, held, saves []int, jumps []bool) {
	stages := s.method.stages()
	together := plan.Exact || p.Z0.Shape().Dimensions[0] == 1 // all samples accept at the same tries
	renewed, most := 0, 0
	for round := range max(rounds, 1) {
		if round > 0 && round < len(jumps) && jumps[round] {
			renewed++
		}
		kept := 0 // states kept before the round
		switch {
		case p.Interpolant && together:
			kept = round*stages + renewed // the last stage of a step is the first of the next, except at a jump
		case p.Interpolant:
			kept = round * (1 + stages)
		case round > 0 && len(held) > 0 && !p.Memory.Host:
			kept = held[round-1]
		}
		most = max(most, kept+rowsFor(saves[min(round, len(saves)-1)], p.Z0.Shape()))
	}
	most += 2 + stages // z and slope; next and new stages
	if !together {
		most += 3
	}
	plan.DeviceBytes = int64(most) * plan.StateBytes
}

// addLoops adds the tensors of a solve and its pullback in loops with a capacity of tries.
func (plan *Plan) addLoops(s *Solver, p Problem, tries, capacity int) {
	stages := s.method.stages()
	kept := capacity * max(1, (tries+capacity-1)/capacity) // states
	if p.Forget {
		kept = capacity
	}
	most := kept - capacity + 2*(2+capacity*(1+stages)) // what a loop takes and what it returns
	plan.DeviceBytes = int64(most) * plan.StateBytes
	if !p.Forget {
		pulled := int64(kept+1+2*loopLength+2)*plan.StateBytes + 2*s.gradientBytes(p)
		plan.DeviceBytes = max(plan.DeviceBytes, pulled)
	}
}

// gradientBytes returns the size of the cotangents of the differentiated args.
func (s *Solver) gradientBytes(p Problem) (bytes int64) {
	for _, i := range differentiated(s, p.Args) {
		bytes += int64(p.Args[i].Shape().ByteSize())
	}
	return bytes
}

// addPullback adds the counts of a pullback. crowded means that more saves may lie in a step than one call takes.
func (plan *Plan) addPullback(s *Solver, p Problem, rounds, renewed int, crowded bool) {
	stages, batch := s.method.stages(), p.Z0.Shape().Dimensions[0]
	limited := p.Memory != (Memory{})
	held := plan.States
	switch {
	case p.Memory.Host:
		plan.HostBytes, held = int64(plan.States)*plan.StateBytes, 0
	case p.Interpolant && (plan.Exact || batch == 1):
		held = rounds*stages + 1 + renewed
	case p.Interpolant:
		held = rounds*(1+stages) + 1
	}
	start := 0 // states assembled for the start of a round
	if p.Memory.Host || plan.Replayed > 0 {
		start = 1
	}
	switch {
	case batch == 1:
	case plan.Exact && p.Memory.Host && slices.Min(plan.Steps) < slices.Max(plan.Steps):
		start += 2 // the assembled state, and the states in which finished samples began
	case plan.Exact || !limited:
		start++
	default:
		start += 2
	}
	always := 2 + stages // final state, its cotangent, no cotangents of stages
	pull := always + start + stages
	if crowded {
		pull += stages
	}
	again := 0
	if plan.Replayed > 0 {
		again = always + 2 + stages // z and slope; next and new stages
		if p.Memory.Host {
			again++
		}
	}
	gradients := s.gradientBytes(p)
	pulled := int64(held+always+start+stages+1)*plan.StateBytes + 2*gradients // old and new
	plan.DeviceBytes = max(plan.DeviceBytes, pulled, int64(held+max(pull, again))*plan.StateBytes+gradients)
}

// Temporary estimates the temporary memory in bytes of the compiled programs of a step and of its pullback, in addition
// to the bytes of [Plan]: see [xla.Program.Temporary]. It does not depend on the number of steps, and a loop on the
// device needs about as much. Temporary builds both graphs and compiles nothing.
func (s *Solver) Temporary(p Problem) (int64, error) {
	if _, _, _, err := s.check(p); err != nil {
		return 0, err
	}
	state := p.Z0.Shape()
	batch, stages := state.Dimensions[0], s.method.stages()
	each := shapes.Make(dtypes.Float64, batch)
	var args, sums []shapes.Shape
	for _, arg := range p.Args {
		args = append(args, arg.Shape())
	}
	for _, i := range differentiated(s, p.Args) {
		sums = append(sums, args[i])
	}
	most, err := s.step.Temporary(append([]shapes.Shape{each, each, each, state, state, each, each}, args...)...)
	if err != nil || p.Forget {
		return most, err
	}
	parts := shapes.Make(state.DType, append([]int{batch, stages}, state.Dimensions[1:]...)...)
	pullback, err := s.vectorJacob.Temporary(append(append([]shapes.Shape{each, each, each, each, state, state, parts},
		args...), sums...)...)
	return max(most, pullback), err
}
