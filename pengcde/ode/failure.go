package ode

import "fmt"

// Code says how the solve of a sample ended. Codes are errors: errors.Is(err, ode.StepLimit) tests for a failure.
type Code int

const (
	// Success means that the sample reached its last save time.
	Success Code = iota
	// StepLimit means that the sample did not reach its last save time within Config.MaxSteps tries.
	StepLimit
	// StepTooSmall means that the next step would be below the resolution of t, or below PID.Min.
	StepTooSmall
	// NotFinite means that the state or the field became NaN or infinite.
	NotFinite
	// Cancelled means that the context ended before the solve.
	Cancelled
)

var codes = [...]struct{ name, advice string }{
	Success: {"success", ""},
	StepLimit: {"step limit reached", "the tolerances may be tight for the state's float type, or the field stiff, " +
		"which keeps steps short at any tolerance (Solution.Stiffness tells); try larger tolerances, or raise " +
		"Config.MaxSteps"},
	StepTooSmall: {"step too small", "shorter ones fall below the resolution of t or below PID.Min; the field may be " +
		"stiff, or not finite nearby; try larger tolerances and check its inputs"},
	NotFinite: {"state not finite", "try a smaller step or an adaptive control, and check that inputs and parameters " +
		"are finite and of order 1"},
	Cancelled: {"cancelled", ""},
}

// String returns the name of the code.
func (c Code) String() string {
	if c < 0 || int(c) >= len(codes) {
		return fmt.Sprintf("code %d", int(c))
	}
	return codes[c].name
}

// Error implements error.
func (c Code) Error() string { return "pengcde/ode: " + c.String() }

// Failure is the error of a sample whose solve did not reach its last save time, or of a cancelled pullback.
type Failure struct {
	Code Code
	// Sample is the index of the sample in the batch.
	Sample int
	// T is the time reached, and Step the length of the last step tried.
	T, Step float64
	// Stats counts the work of the sample.
	Stats Stats
	// Cause is the context's error if Code is Cancelled, else nil.
	Cause error
	// Pullback reports whether a pullback was cancelled. Sample, T and Stats are then not set.
	Pullback bool
	// Also lists the failures of later samples, in the error that a solve returns.
	Also []*Failure

	atMax bool // PID.Max bounds the next step
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Pullback {
		return fmt.Sprintf("pengcde/ode: the pullback was %v: %v", f.Code.String(), f.Cause)
	}
	text := fmt.Sprintf("pengcde/ode: %s at t=%.6g (sample %d, last step %.3g, %d steps accepted, %d rejected)",
		f.Code.String(), f.T, f.Sample, f.Step, f.Stats.Accepted, f.Stats.Rejected)
	if f.Cause != nil {
		text += fmt.Sprintf(": %v", f.Cause)
	}
	advice := codes[f.Code].advice
	if f.Code == StepLimit && f.atMax {
		advice = "no step may be longer than PID.Max; try a larger one, or raise Config.MaxSteps"
	}
	if advice != "" {
		text += ": " + advice
	}
	if len(f.Also) > 0 {
		text += fmt.Sprintf("; %d more of the batch failed", len(f.Also))
	}
	return text
}

// Unwrap returns the code, the cause if there is one, and the failures of other samples.
func (f *Failure) Unwrap() []error {
	errs := []error{f.Code}
	if f.Cause != nil {
		errs = append(errs, f.Cause)
	}
	for _, other := range f.Also {
		errs = append(errs, other)
	}
	return errs
}
