package ode

// Plan is what a solve and its pullback will take.
type Plan struct {
	// Exact says that the steps are known ([Constant], [Given]) and all counts are those of a run that does not fail.
	// Otherwise they are upper bounds, for samples that all take Config.MaxSteps tries, each accepted; a sample's own work
	// is StepEvaluations a try and one or two to start.
	Exact bool
	// Steps and Evaluations of each sample are Stats.Accepted and Stats.Evaluations of the solve.
	Steps, Evaluations []int
	// StepEvaluations is the number of evaluations of the field in a try.
	StepEvaluations int
	// Replayed and PullbackEvaluations are the counts of [Gradients]: rounds taken again, and evaluations of the field for
	// the whole batch, in the first pullback. Those that differentiate it are not counted: as many of each of the rounds.
	Replayed, PullbackEvaluations int
	// States is the most states kept at once for the pullback, StateBytes the size of one.
	States     int
	StateBytes int64
	// HostBytes is the most that is kept for the pullback on the host. DeviceBytes is the most that the tensors of this package take at
	// once on the device, in the solve or the pullback: the kept states, those that a step works on and gives, sums of
	// gradients. Not counted: z0, args, the cotangent, and what a compiled program needs for itself, which is that of one
	// step however many there are.
	DeviceBytes, HostBytes int64

	kept int // when the solve ends
}

// Plan predicts what [Solver.Run] and one [Solution.Pullback] take, without evaluating the field.
func (s *Solver) Plan(p Problem) (*Plan, error) {
	times, stops, err := s.check(p)
	if err != nil {
		return nil, err
	}
	limit, err := p.limit()
	if err != nil {
		return nil, err
	}
	ends, known, err := s.foresee(times, stops)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Exact: known, StepEvaluations: s.method.stages() - 1, StateBytes: stateBytes(p.Z0)}
	rounds := most(ends)
	for b, row := range times {
		steps, start := s.maxSteps, 2
		if known {
			steps, start = len(ends[b]), 1
		}
		if row[0] == row[len(row)-1] {
			steps, start = 0, 0
		}
		rounds = max(rounds, steps)
		plan.Steps = append(plan.Steps, steps)
		plan.Evaluations = append(plan.Evaluations, start+steps*plan.StepEvaluations)
	}
	passes := rounds + 1 // of the pullback
	if known {
		passes = len(s.method.plan(plannedSaves(p, times, ends), ends))
	}
	var r rehearsal
	if !p.Forget {
		r = rehearse(newThinning(limit, rounds, known), rounds, limit)
		plan.Replayed, plan.PullbackEvaluations = r.replayed, r.pieces+(r.replayed+passes)*plan.StepEvaluations
	}
	plan.kept, plan.States = r.kept, r.most
	plan.addBytes(s, p, rounds)
	return plan, nil
}

// plannedSaves are the save times of known steps.
func plannedSaves(p Problem, times, ends [][]float64) [][]float64 {
	if p.Save != EveryStep {
		return times
	}
	saves := make([][]float64, len(times))
	for b := range saves {
		saves[b] = append([]float64{times[b][0]}, ends[b]...)
	}
	return saves
}

// addBytes counts tensors in states: those of march, of replay, and what both keep.
func (plan *Plan) addBytes(s *Solver, p Problem, rounds int) {
	stages := s.method.stages()
	solve := 2 + stages + rows                // z and slope; next and new stages; saves
	replay := 3 + 3*stages + 2 + (2 + stages) // final and dz, old and new; cotangents of stages; where steps start; a step taken again
	if batch := p.Z0.Shape().Dimensions[0]; batch > 1 {
		solve, replay = solve+3, replay+batch // rows of samples that accept, or start, at different tries
	}
	held := int64(0)
	switch {
	case p.Memory.Host:
		plan.HostBytes = int64(plan.States) * plan.StateBytes
	case p.Dense:
		held = int64(rounds * (1 + stages))
	default:
		held = int64(plan.States)
	}
	gradients := int64(0)
	if p.Forget {
		replay = 0
	}
	for _, i := range s.wrt {
		gradients += 2 * int64(p.Args[i].Shape().ByteSize())
	}
	plan.DeviceBytes = max((held+int64(solve))*plan.StateBytes, (held+int64(replay))*plan.StateBytes+gradients)
}
