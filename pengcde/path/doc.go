// Package path turns observations into a control path: a function X(t) with a derivative X'(t) that drives a controlled
// differential equation.
//
// Five kinds of path join values x_k observed at knots t_0 < t_1 < ... < t_T-1, each in the file of its name. With u =
// t - t_k, h = t_k+1 - t_k, r = u/h and d = x_k+1 - x_k, on the interval from t_k to t_k+1:
//
//	Hermite      x_k + (u - p) m + p d/h, p = 2u²/h - u³/h², m the slope of the interval before (the default)
//	Linear       x_k + r d
//	Rectilinear  x_k while time moves, then x_k + r d while time stops, on an axis twice as long
//	Natural      the cubic spline whose second derivatives are continuous and 0 at both ends
//	Ramp         x_k + (3r² - 2r³) d
//
// The table compares the kinds: the observations that the path depends on in that interval, its smoothness, and whether
// it leaves the range of the values it joins. The column |X'| is the largest derivative if the values make a single
// jump over one interval of length h, in units of jump/h:
//
//	             depends on        smooth  overshoots  |X'|        linear functions
//	Hermite      x_k-1 .. x_k+1    C¹      yes         4/3         reproduced
//	Linear       x_k, x_k+1        C⁰      no          1           reproduced
//	Rectilinear  x_j, t_j ≤ now    C⁰      no          1           become stairs
//	Natural      all               C²      yes         1 to 1.5    reproduced
//	Ramp         x_k, x_k+1        C¹      no          3/2         become a ramp in each interval
//
// Only Rectilinear never looks ahead: at each point the path depends on observations up to its own time, see
// [Lengthen]. A model with this kind has an axis of its own, on which a change takes one unit and time does not move,
// see Axis in package field. Hermite, Linear and Ramp look ahead by the rest of the interval. The path up to t_k is
// final once x_k is known, so a solve may follow the observations with a delay of one interval. A natural spline
// changes everywhere with each observation. After a jump Hermite continues with its slope and overshoots by 4h'/(27h)
// of the jump, where h' is the length of the next interval: 3 jumps if h' is 20h. Natural also leaves the range before
// the jump; it overshoots by less than Hermite where intervals are equal, by more if h' is 10h.
//
// A solver with adaptive steps should end steps on the knots next to changes, whatever the kind; otherwise it may step
// over a short change. Straight lines then take about half the tries of the cubics at the same error;
// docs/correctness.md has figures.
//
// A path of graphs is never stored per time. All kinds except Natural combine two or three values, so [Locate] returns
// few weights, and [Interval.Snapshots] combines rows that are stored once, however many knots use them. Natural
// weights all values; see [Natural] for the cost.
//
// Start with [Knots], [Locate] and [Interval.Eval]; [Fill] and [Mask] handle missing values. Locate and Interval build
// GoMLX graphs for a batch of samples, each with its own knots. A query exactly on a knot belongs to the interval on
// its left, unless [Locate] is told the other side. Queries outside the knots continue the first or last polynomial;
// Rectilinear and Ramp stay at the first or last value. Times, knots and weights are float64, whatever the type of the
// values.
//
// References: P. Kidger, J. Morrill, J. Foster, T. Lyons, Neural Controlled Differential Equations for Irregular Time
// Series, NeurIPS 2020; J. Morrill, P. Kidger, L. Yang, T. Lyons, Neural Controlled Differential Equations for Online
// Prediction Tasks, arXiv:2106.11028, 2021 (TMLR 2022 as On the Choice of Interpolation Scheme for Neural CDEs); the
// documentation of torchcde.
package path
