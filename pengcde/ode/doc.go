// Package ode solves initial value problems
//
//	dz/dt = f(t, z, args),  z(t0) = z0
//
// by explicit Runge-Kutta methods for a batch of samples, and returns the exact gradient of the discrete solve. The
// package does not depend on graphs: the vector field f is any function that builds dz/dt from GoMLX nodes ([Field]).
//
// Start with [New], then call [Solver.Solve] and [Solution.Pullback]. [Solver.Run] has more options: times that steps
// must end on, a state for every step, an interpolant for [Solution.At]. [InGraph] solves inside a GoMLX graph. Times
// may decrease, for a solve backward in time.
//
// The methods are [Euler], [Midpoint], [Heun], [Bosh3], [RK4], [Dopri5] and [Tsit5], the default; [Method] compares
// them. A [StepSize] chooses the step sizes. [PID] adapts them to the error estimate of Heun, Bosh3, Dopri5 or Tsit5.
// [Constant] and [Given] work with all methods.
//
// The samples of a batch advance together. Each has its own time, step size and acceptance. One compiled program tries
// a step for the whole batch. Where the device can repeat a program, up to 32 tries are one call; [Loop] says when, and
// plain Go drives the steps elsewhere. The step size control is the same in both, in float64. The compile time does not
// depend on the number of steps, and a solve can be cancelled between calls.
//
// Times are float64 in the loop, in the programs and in the field, whatever the float type of the states. Neighbours in
// float32 are 1/16 apart at t = 1e6, yet steps there are as fine as at 0. Step lengths are differences of times. They
// are rounded to the state's type only where they multiply slopes. A field that converts t itself loses precision:
// subtract a time, or take a sine, before the conversion.
//
// Gradients differentiate the steps that were taken, with their sizes held constant (discretise, then optimise). The
// pullback replays the accepted steps backwards and recomputes each from its start. This keeps one state per accepted
// step until [Solution.Close], and with Problem.Interpolant also the stages. [Memory] keeps fewer states, or keeps them
// on the host, and takes steps again; the gradient is the same. [Solver.Plan] predicts the cost of a solve and its
// pullback; docs/performance.md compares predictions with measurements.
//
// Tolerances bound the error of the states, not the error of their derivative. The difference matters if the field has
// a slope 1/w across a layer of width w and is bounded outside it. A norm that divides values near 0 is an example.
// Steps beyond the stability limit of the method, about 3.5 w for Tsit5, stay within the tolerance as long as the layer
// does. But each of them multiplies the derivative by a factor above 1, where the derivative of the solution decays.
// The symptom is exploding gradients. They are exact, except for steps that miss the layer. Two settings of [PID] help:
// RTol with RTol |z| sqrt(entries of a sample) below about w/30, since the error norm is a mean over all entries, or
// Max below 3.5 w. [Solution.Stiffness] measures how near a solve came to the limit, and Problem.StepSize solves again
// with another control.
//
// A sample that fails stops, and the others go on. The solve then returns the states reached so far together with a
// [*Failure]. Its [Code] and message suggest a remedy. Bad input is an error that wraps [ErrInput]; if a single entry
// is at fault, it is an [*InputError]. A field that panics while its graph is built is bad input too: the error says
// where the field panicked, wraps the panic value, and is an [xla.BuildError], whose %+v prints the stack.
//
// Limits: methods are explicit only, so stiff problems take many steps. If a field mixes the samples of a batch, their
// steps depend on each other, and a failed sample corrupts the others.
//
// References: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), II.4 on step size
// control and II.6 on continuous extensions; A. Griewank, A. Walther, ACM Transactions on Mathematical Software 26
// (2000) 19-45, and Q. Wang, P. Moin, G. Iaccarino, SIAM Journal on Scientific Computing 31 (2009) 2549-2567, on
// checkpoints. Each method cites its own source.
package ode
