package dynamics

import "errors"

// ErrInput is wrapped by errors about what a simulation was given.
var ErrInput = errors.New("invalid input")

// ErrStep is wrapped where steps are too long for the dynamics on the graph.
var ErrStep = errors.New("step is too long")

// ErrNotFinite is wrapped where a state became NaN or infinite; the error says which, and when.
var ErrNotFinite = errors.New("state is not finite")
