package ode

import "slices"

// The functions below reverse a sequence of l steps with c stored states, including the state at its start. The steps
// after a state are taken again from it. A. Griewank and A. Walther, ACM Transactions on Mathematical Software 26
// (2000) 19-45 (revolve) show that with
//
//	β(c, ρ) = (c + ρ choose c),  β(c, ρ-1) < l <= β(c, ρ)
//
// no step is taken more than ρ times, including the first time, and the least total is t(l, c) = ρ l - β(c+1, ρ-1).

// enough bounds β to avoid overflow.
const enough = 1 << 40

// binomial returns β(c, r), at most enough; 0 for a negative argument.
func binomial(c, r int) int {
	if c < 0 || r < 0 {
		return 0
	}
	if c < r {
		c, r = r, c
	}
	b := 1
	for i := 1; i <= r; i++ {
		if b = b * (c + i) / i; b >= enough {
			return enough
		}
	}
	return b
}

// repetitions returns ρ.
func repetitions(l, c int) int {
	if c == 1 {
		return l - 1
	}
	r := 0
	for binomial(c, r) < l {
		r++
	}
	return r
}

// split returns m, the number of l >= 2 steps to take before the next state is stored. c >= 1 is the number of states,
// including the one at the start. Afterwards l - m steps are reversed with c - 1 states, then m steps with c.
func split(l, c int) int {
	if c == 1 {
		return l - 1
	}
	r := repetitions(l, c)
	return min(max(binomial(c, r-2), l-binomial(c-1, r), 1), l-1)
}

// next returns the round to advance to from the stored state at round at, and whether to store the state there. at is
// the last of used states before round wanted, and limit the maximum number of states.
func next(at, wanted, used, limit int) (to int, keep bool) {
	free := limit - used
	if free <= 0 {
		return wanted, false
	}
	return at + split(wanted-at+1, free+1), true
}

// checkpointPolicy decides during a solve which states stay. It is called when the first sample reaches the start of a
// round, which is not stored yet. It returns the round whose state is dropped: the round before, an earlier one, or -1
// for none. Rounds count the accepted steps of the samples: round r starts at the state after r steps.
type checkpointPolicy func(round int) (gone int)

func newCheckpointPolicy(limit, rounds int, known bool) checkpointPolicy {
	switch {
	case limit == 0:
		return everything
	case known:
		return offline(rounds, limit)
	}
	return online(limit)
}

// everything drops no state.
func everything(int) int { return -1 }

// offline keeps the states that are optimal for a known number of rounds.
func offline(rounds, limit int) checkpointPolicy {
	var kept []int
	at, l := 0, rounds+1 // the end state is at hand, as if one more step were to be reversed
	for c := limit; at < rounds; c-- {
		kept = append(kept, at)
		if c == 1 {
			break
		}
		m := split(l, c)
		at, l = at+m, l-m
	}
	return func(round int) int {
		if _, found := slices.BinarySearch(kept, round-1); found {
			return -1
		}
		return round - 1
	}
}

// online keeps states if the number of rounds is not known in advance: Q. Wang, P. Moin, G. Iaccarino, Minimal
// repetition dynamic checkpointing algorithm for unsteady adjoint calculation, SIAM Journal on Scientific Computing 31
// (2009) 2549-2567. Each state has a level. A state is dispensable if a later one has a higher level. At the limit, the
// last dispensable state is dropped. If there is none, the newest state is dropped, and the next takes its level plus
// one. They show that the steps so far can be reversed at any time with no step taken more than ρ times.
func online(limit int) checkpointPolicy {
	type levelled struct{ round, level int }
	rounds := []levelled{{0, enough}} // the last entry is the current round, which does not count
	return func(round int) int {
		if len(rounds) <= limit {
			rounds = append(rounds, levelled{round, 0})
			return -1
		}
		highest := 0
		for i := len(rounds) - 1; i > 0; i-- {
			if gone := rounds[i]; gone.level < highest {
				rounds = append(slices.Delete(rounds, i, i+1), levelled{round, 0})
				return gone.round
			}
			highest = max(highest, rounds[i].level)
		}
		last := &rounds[len(rounds)-1]
		gone := last.round
		*last = levelled{round, last.level + 1}
		return gone
	}
}

// scheduleCost counts the work of a solve and its pullback.
type scheduleCost struct {
	kept, most       int   // states at the end of the solve, and the maximum at any time
	held             []int // states after each round of the solve
	replayed, pieces int   // rounds taken again, and the number of pieces they form
	renewed          int   // rounds taken again that start at a jump inside a piece
}

// simulateSchedule counts the work of a policy. jumps marks the rounds that start at a jump; nil means none.
func simulateSchedule(policy checkpointPolicy, rounds, limit int, jumps []bool) (r scheduleCost) {
	var kept []int
	for round := range rounds {
		if gone := policy(round + 1); gone != round {
			if i, found := slices.BinarySearch(kept, gone); found {
				kept = slices.Delete(kept, i, i+1)
			}
			kept = append(kept, round)
		}
		r.most = max(r.most, len(kept))
		r.held = append(r.held, len(kept))
	}
	r.kept = len(kept)
	for round := rounds - 1; round >= 0; round-- {
		for len(kept) > 0 && kept[len(kept)-1] > round {
			kept = kept[:len(kept)-1]
		}
		for at := kept[len(kept)-1]; at != round; {
			to, keep := next(at, round, len(kept), limit)
			r.replayed += to - at
			r.pieces++
			for between := at + 1; between < min(to, len(jumps)); between++ {
				if jumps[between] {
					r.renewed++
				}
			}
			if at = to; keep {
				kept = append(kept, to)
				r.most = max(r.most, len(kept))
			}
		}
	}
	return r
}
