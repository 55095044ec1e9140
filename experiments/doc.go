// Package experiments is the engine of studies. A [Study] plans runs, makes one, and shows the stored ones; the engine
// finds stored runs, makes the missing ones with checkpoints, and stores each as soon as it is done. The studies of the
// paper are in package paper; docs/adding-a-study.md shows how to write one.
//
// [Study.Run] makes the runs that are missing. A run is stored in one JSON file named by its identity (all values that
// decide the outcome, defaults written out), the [Generation] of the numerics and the kind of backend, and found again
// by them; training keeps checkpoints beside it meanwhile. [Study.Stored] finds without computing; [Study.Estimate]
// says how many runs are missing and about how long they take, [Study.UnderWay] which are made now. With
// [Options].Jobs, other processes that call [Study.Work] make the runs, see package workers. Missing runs show as
// missing in tables; a run of another generation shows as stale and is made again on request alone; one of another
// backend is shown and marked, and made anew by Run for the backend that computes.
//
// Results lie in the folder that PENGCDE_RESULTS names, else in build/results of this checkout, else in
// pengcde-results of the working folder. Missing runs are looked for among those that came with the module, in the
// folder results of the checkout; tables mark them. [Study.Ship] writes them. Package store has the files and brings
// results folders together, and package export makes tables for Python of a [Report].
package experiments
