package train

// These constants turn off settings whose zero value is a default.
const (
	// NoValidation as [Config].EvaluateEvery runs all epochs and keeps the last parameters.
	NoValidation = -1
	// AtOnce as [Config].MinEpochs allows training to stop early from the first epoch on.
	AtOnce = -1
	// NoDecay as [AdamW].WeightDecay and NoClip as AdamW.Clip turn off decay and clipping.
	NoDecay, NoClip = -1, -1
	// EachStep as [Checkpoint].Every writes after each optimiser step.
	EachStep = -1
	// NoBound as [Guard].Multiple and NoRetries as Guard.Retries turn off the bound and the retries.
	NoBound, NoRetries = -1, -1
)
