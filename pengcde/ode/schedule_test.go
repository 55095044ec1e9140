package ode

import "testing"

// least is t(l, c) by the recursion that defines it.
func least(memo map[[2]int]int, l, c int) int {
	switch {
	case l <= 1:
		return 0
	case c == 1:
		return l * (l - 1) / 2
	}
	if t, ok := memo[[2]int{l, c}]; ok {
		return t
	}
	best := enough
	for m := 1; m < l; m++ {
		best = min(best, m+least(memo, l-m, c-1)+least(memo, m, c))
	}
	memo[[2]int{l, c}] = best
	return best
}

// A known number of steps is reversed with the least possible work. With an unknown number the mean is within the bound
// ρ for each step, including the first time.
func TestScheduleIsBest(t *testing.T) {
	memo := map[[2]int]int{}
	worst := 0.0
	for limit := 1; limit <= 9; limit++ {
		before := 0
		for rounds := 1; rounds <= 130; rounds++ {
			want := least(memo, rounds+1, limit) - rounds
			if rho := repetitions(rounds+1, limit); want+rounds != rho*(rounds+1)-binomial(limit+1, rho-1) && limit > 1 {
				t.Fatalf("%d rounds, %d states: least work %d is not that of the formula", rounds, limit, want)
			}
			known := simulateSchedule(offline(rounds, limit), rounds, limit, nil)
			states, replayed := known.most, known.replayed
			if replayed != want || states > limit {
				t.Fatalf("%d rounds, %d states: %d rounds taken again with %d states, least is %d", rounds, limit, replayed, states,
					want)
			}
			unknown := simulateSchedule(online(limit), rounds, limit, nil)
			states, replayed = unknown.most, unknown.replayed
			if replayed < want || replayed < before || states > limit {
				t.Fatalf("%d rounds, %d states, online: %d rounds taken again with %d states, least is %d, one round less took %d",
					rounds, limit, replayed, states, want, before)
			}
			before = replayed
			if replayed != want {
				worst = max(worst, float64(replayed+rounds)/float64(want+rounds))
				if want == 0 {
					t.Errorf("%d rounds, %d states, online: %d rounds taken again, all states could have been kept", rounds, limit,
						replayed)
				}
			}
			if bound := (repetitions(rounds+1, limit) - 1) * rounds; replayed > bound {
				t.Errorf("%d rounds, %d states, online: %d rounds taken again, want at most %d", rounds, limit, replayed, bound)
			}
		}
	}
	t.Logf("online takes at most %.3f times the steps of the best choice, the solve's own among them", worst)
}

func TestScheduleOfManySteps(t *testing.T) {
	for _, c := range []struct{ rounds, limit int }{{4096, 8}, {4096, 32}, {100000, 64}} {
		known := simulateSchedule(offline(c.rounds, c.limit), c.rounds, c.limit, nil).replayed
		unknown := simulateSchedule(online(c.limit), c.rounds, c.limit, nil).replayed
		t.Logf("%d rounds, %d states: %.2f rounds taken again for each, online %.2f", c.rounds, c.limit,
			float64(known)/float64(c.rounds), float64(unknown)/float64(c.rounds))
		if float64(unknown+c.rounds) > 1.5*float64(known+c.rounds) {
			t.Errorf("%v: online %d, best %d", c, unknown, known)
		}
	}
}
