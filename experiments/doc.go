// Package experiments is the engine that runs studies. A [Study] plans runs, makes a run, and shows the stored runs.
// The engine finds the stored runs, makes the missing ones with checkpoints, and stores each run as soon as it is
// done. Package paper contains the studies of the paper. docs/adding-a-study.md shows how to write a study.
//
// [Study.Run] makes the missing runs. Each run is stored in one JSON file. The file is named, and found again, by the
// run's identity (all values that decide the outcome, defaults included), the [Generation] of the numerics and the
// kind of backend. Training keeps its checkpoints in the same folder until the run is stored.
//
// [Study.Stored] finds runs and computes nothing. [Study.Estimate] returns how many runs are missing and about how
// long they take. [Study.UnderWay] lists the runs that are being made now. With [Options].Jobs, other processes that
// call [Study.Work] make the runs; see package workers.
//
// Tables show missing runs as missing. A run of another generation is shown as stale, and is made again only on
// request. A run of another backend is shown and marked; Run makes it again for the backend that computes.
//
// Results are stored in the folder that PENGCDE_RESULTS names, else in build/results of this checkout, else in
// pengcde-results in the working folder. Runs that are missing there are looked up among the runs that come with the
// module, in the folder results of the checkout; tables mark them. [Study.Ship] writes that folder. In both places a
// study also finds the runs of the studies in [Study].Like. Package store reads and writes the files and merges results
// folders. Package export writes tables of a [Report] for Python.
package experiments
