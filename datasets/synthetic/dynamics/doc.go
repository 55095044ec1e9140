// Package dynamics simulates node dynamics on directed graphs that change in time, in float64 and plain Go:
//
//	dx/dt = f(t, x, A(t))
//
// where x holds the state of n nodes, [n*channels] row-major by node, and A is the weighted adjacency matrix in force:
// A_ij is the weight of edge i -> j, and node i feels the nodes j that its edges lead to. An evaluation takes O(edges).
//
// Start with [Simulate] and one of [Heat], [GeneCoded], [GenePrinted], [GeneMichaelisMenten], [Wealth], [Opinion],
// [Mutualistic], [SIR], [Contact]. Your own dynamics are one Go function, a [Rate]; if they have the form x_i' =
// F(x_i) + Σ_j A_ij G(x_i, x_j), [Pairwise] makes it from F and G.
//
// Steps are constant, by Ch. Tsitouras' method of order 5 (see ode.Tsit5); states between the ends of steps come from
// its continuous extension of order 4. Every graph starts a new sequence of steps, so no step crosses a change of the
// graph. Between two observations with different graphs the earlier graph is in force up to the later time;
// [Problem.Frozen] reproduces the published data instead, whose states do not change there.
//
// With [Dynamics].Change the change of the graph itself moves the states, as in [Contact]: at the time from which the
// next graph is in force they go along dx/ds = Change(s, x, ΔA) for s from 0 to 1, by steps of the same method whose
// error is bounded ([Problem.Tolerance]).
//
// Limits: explicit steps of a given length. Steps that are too long for the graph would make states wrong or let them
// grow without bound. The method's error estimate detects this, and the simulation ends with [ErrStep]. Heat can take
// steps of 2 over the largest eigenvalue of D - A, which for undirected graphs is at most twice the largest degree.
package dynamics
