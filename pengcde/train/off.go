package train

// Settings whose zero value is a default take one of these to be without.
const (
	// NoValidation as [Config].EvaluateEvery runs all epochs and keeps the last parameters.
	NoValidation = -1
	// AtOnce as [Config].MinEpochs lets a training stop early from the first epoch on.
	AtOnce = -1
	// NoDecay as [AdamW].WeightDecay, NoClip as AdamW.Clip.
	NoDecay, NoClip = -1, -1
	// EachStep as [Checkpoint].Every writes after each optimiser step.
	EachStep = -1
	// NoBound as [Guard].Multiple, NoRetries as Guard.Retries.
	NoBound, NoRetries = -1, -1
)
