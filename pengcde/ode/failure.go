package ode

import "fmt"

// Code says how the solve of a sample ended. Codes are errors, so that errors.Is(err, ode.StepLimit) tells failures
// apart.
type Code int

const (
	// Success means that the last save time was reached.
	Success Code = iota
	// StepLimit means that Config.MaxSteps tries did not reach the last save time.
	StepLimit
	// StepTooSmall means that the next step would be lost in the resolution of t.
	StepTooSmall
	// NotFinite means that the state or the field became NaN or infinite.
	NotFinite
	// Cancelled means that the context ended first.
	Cancelled
)

var codes = [...]struct{ name, advice string }{
	Success:      {"success", ""},
	StepLimit:    {"step limit reached", "the field may be stiff; try larger tolerances, or raise Config.MaxSteps"},
	StepTooSmall: {"step too small", "the field may be stiff, or not finite nearby; try larger tolerances and check its inputs"},
	NotFinite:    {"state not finite", "try a smaller step or an adaptive control, and check that inputs and parameters are finite and of order 1"},
	Cancelled:    {"cancelled", ""},
}

// String names the code.
func (c Code) String() string {
	if c < 0 || int(c) >= len(codes) {
		return fmt.Sprintf("code %d", int(c))
	}
	return codes[c].name
}

// Error implements error.
func (c Code) Error() string { return "pengcde/ode: " + c.String() }

// Failure is the error of a solve that did not reach its last save time.
type Failure struct {
	Code Code
	// Sample is the index in the batch.
	Sample int
	// T is the time reached, Step the length of the step tried last.
	T, Step float64
	// Stats are those of the sample.
	Stats Stats
	// Cause is the context's error for Cancelled, else nil.
	Cause error
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Code == Cancelled {
		return fmt.Sprintf("pengcde/ode: cancelled: %v", f.Cause)
	}
	return fmt.Sprintf("pengcde/ode: %s at t=%.6g (sample %d, step %.3g, %d steps accepted, %d rejected): %s",
		f.Code.String(), f.T, f.Sample, f.Step, f.Stats.Accepted, f.Stats.Rejected, codes[f.Code].advice)
}

// Unwrap gives the code, and the cause when there is one.
func (f *Failure) Unwrap() []error {
	if f.Cause != nil {
		return []error{f.Code, f.Cause}
	}
	return []error{f.Code}
}
