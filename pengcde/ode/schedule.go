package ode

import "slices"

// A sequence of l steps is reversed with c states kept, the one at its start among them: the steps after a state are
// taken again from it. A. Griewank and A. Walther, ACM Transactions on Mathematical Software 26 (2000) 19-45 (revolve)
// show that with
//
//	β(c, ρ) = (c + ρ choose c),  β(c, ρ-1) < l <= β(c, ρ)
//
// no step need be taken more than ρ times, the first among them, and the least total is t(l, c) = ρ l - β(c+1, ρ-1).

// enough bounds β, so that it does not overflow.
const enough = 1 << 40

// binomial is β(c, r), at most enough; 0 for a negative argument.
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

// repetitions is ρ.
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

// split says how many of l >= 2 steps to take before the next state is kept, where c >= 1 may be, the one at the start
// among them: after it, l - m steps are reversed with c - 1, then m with c.
func split(l, c int) int {
	if c == 1 {
		return l - 1
	}
	r := repetitions(l, c)
	return min(max(binomial(c, r-2), l-binomial(c-1, r), 1), l-1)
}

// next says where to go from a state kept at round at, the last of those used before round wanted, with room for limit,
// and whether to keep the state there.
func next(at, wanted, used, limit int) (to int, keep bool) {
	free := limit - used
	if free <= 0 {
		return wanted, false
	}
	return at + split(wanted-at+1, free+1), true
}

// checkpointPolicy decides during a solve which states stay. It is called when the first sample has come to the start of a
// round, which is not kept yet, and names the round whose state is given up: the one before it, an earlier one, or none
// (-1). Rounds count the accepted steps of the samples: round r starts at the state after r of them.
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

// everything gives up nothing.
func everything(int) int { return -1 }

// offline keeps the states that are best for a known number of rounds.
func offline(rounds, limit int) checkpointPolicy {
	var kept []int
	at, l := 0, rounds+1 // the state at the end is there, as if one more step had to be reversed
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

// online keeps states for a number of rounds that is not known ahead: Q. Wang, P. Moin, G. Iaccarino, Minimal
// repetition dynamic checkpointing algorithm for unsteady adjoint calculation, SIAM Journal on Scientific Computing 31
// (2009) 2549-2567. Each state has a level; one before another of a higher level is dispensable. When there is no room,
// the last of those goes, else the newest, whose level plus one the next takes over. They show that at any time the
// steps so far can then be reversed with none taken more than ρ times.
func online(limit int) checkpointPolicy {
	type levelled struct{ round, level int }
	rounds := []levelled{{0, enough}} // the last is the current one, which does not count
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

// scheduleCost counts the work of a solve of some rounds and its pullback.
type scheduleCost struct {
	kept, most       int   // states at the end of the solve, and the most at any time
	held             []int // states after each round of the solve
	replayed, pieces int   // rounds taken again, in so many pieces
	renewed          int   // of those taken again, inside a piece, that start at a jump
}

// simulateSchedule counts; jumps marks the rounds that start at a jump, nil for none.
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
