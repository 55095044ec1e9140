package experiments

// Generation is the version number of the numerics: data, models, solver and training as code. It is part of the
// identity of every run.
//
// Raise it with any change that alters the numbers of a run by more than rounding, and write the golden values again
// (see TestGolden). Runs of other generations then show as stale; [Options].Stale makes them again. Changes of a
// configuration or a default need no new generation, because a run's identity contains all values. Changes that alter
// no number need none either.
//
// Generation 2 is the first that is recorded.
const Generation = 2

// generation equals Generation, except in tests.
var generation = Generation

// noBackend is the backend kind recorded for a run that needs no backend.
const noBackend = "none"
