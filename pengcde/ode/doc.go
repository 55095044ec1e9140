// Package ode solves initial value problems
//
//	dz/dt = f(t, z, args),  z(t0) = z0
//
// by explicit Runge-Kutta methods, for a batch of samples at once, and gives the exact gradient of the discrete
// solve. Nothing here knows of graphs: f is any function that builds dz/dt from GoMLX nodes ([Field]).
//
// Start with [New], then [Solver.Solve] and [Solution.Pullback]. [Solver.Run] has options: times that steps must end
// on, a state for every step, an interpolant for [Solution.At]. [InGraph] is a solve inside a GoMLX graph. Times may
// decrease, for a solve backward in time.
//
// The methods are [Euler], [Midpoint], [Heun], [Bosh3], [RK4], [Dopri5] and [Tsit5], the default; [Method] compares
// them. Step sizes are chosen by a [StepSize]: [PID], which adapts them by the error estimate of Heun, Bosh3, Dopri5 or
// Tsit5, or [Constant] or [Given], for all methods.
//
// The samples of a batch advance together, each with its own time, step size and acceptance. One compiled program
// tries a step for the whole batch; the loop and the step size control are plain Go in float64. So the time to
// compile does not depend on the number of steps, and a solve can be cancelled between steps.
//
// Times are float64 in the loop, in the programs and in the field, whatever the float type of states: at t = 1e6, where
// neighbours in float32 are 1/16 apart, steps are as fine as at 0. Lengths of steps, which are differences of times,
// are rounded to the state's type only where they multiply slopes. A field that converts t itself loses what it rounds:
// it should subtract a time, or take a sine, before.
//
// Gradients differentiate the steps that were taken, with their sizes held constant (discretise, then optimise): the
// accepted steps are replayed backwards, each recomputed from its start. That keeps one state for each accepted step
// until [Solution.Close], and with Problem.Interpolant also its stages; [Memory] keeps fewer, or keeps them on the
// host, and takes steps again, with the same gradient. [Solver.Plan] says what a solve and its pullback will take;
// docs/performance.md compares it with what was taken.
//
// Tolerances bound the error of states, not the error of their derivative. The difference matters where the field has a
// slope 1/w across a layer of width w and is bounded outside it, as where a norm divides values that are nearly 0:
// steps longer than the method is stable for, some 3.3 w for Tsit5, stay within the tolerance as long as the layer
// does, while each multiplies the derivative by a factor above 1, where the solution's decays. Exploding gradients are
// the sign; they are exact, but for steps that miss the layer. Two settings of [PID] help: RTol with RTol |z|
// sqrt(entries of a sample) below w/30 or so, since the error norm is a mean over all entries, or Max below 3.3 w.
// [Solution.Stiffness] says how near a solve came to that limit, and Problem.StepSize solves again by another control.
//
// A sample that fails stops where it stands, and the others go on: a solve then returns what was reached beside a
// [*Failure], whose [Code] and message say what to try. Bad input is an error that wraps [ErrInput], and an
// [*InputError] where one entry is to blame. A field that panics while its graph is built is bad input too: the error
// says where it panicked, wraps what it panicked with, and is an [xla.BuildError], whose %+v has the stack.
//
// Limits: explicit methods only, so stiff problems take many steps. A field that mixes the samples of a batch gives
// them steps that depend on each other, and lets a failed one spoil the others.
//
// References: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), II.4 on step size
// control and II.6 on continuous extensions; A. Griewank, A. Walther, ACM Transactions on Mathematical Software 26
// (2000) 19-45, and Q. Wang, P. Moin, G. Iaccarino, SIAM Journal on Scientific Computing 31 (2009) 2549-2567, on
// checkpoints. Each method names its own.
package ode
