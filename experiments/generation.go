package experiments

// Generation numbers the numerics: data, models, solver and training as code. It is part of the identity of every run.
// Raise it with any change after which the numbers of some run differ by more than rounding, and write the golden
// values anew (see TestGolden): runs of other generations then show as stale, and are made again by [Options].Stale. A
// change of a configuration or of a default needs no new generation, as all values are in a run's identity; nor does
// one that changes no number.
//
// 2 is the first that is recorded.
const Generation = 2

// generation is Generation, but for tests.
var generation = Generation

// noBackend is the kind of backend of a run that needs none.
const noBackend = "none"
