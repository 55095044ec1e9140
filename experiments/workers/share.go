package workers

import "fmt"

// Share is how many processes are to make runs side by side.
type Share struct {
	// Jobs is the number of processes, and Cores what each has.
	Jobs, Cores int
	// Asked is how many were asked for, and Why says what allows no more; "" where Jobs is Asked.
	Asked int
	Why   string
}

// Bound allows no more processes than jobs, but one, and keeps the reason where that is fewer than before.
func (s *Share) Bound(jobs int, why string, args ...any) {
	if jobs = max(1, jobs); jobs < s.Jobs {
		s.Jobs, s.Why = jobs, fmt.Sprintf(why, args...)
	}
}

// BoundMemory allows only processes whose peaks fit in the available bytes together. Peaks are in bytes, the largest
// first.
func (s *Share) BoundMemory(peaks []int64, available int64) {
	fit, taken := 0, int64(0)
	for ; fit < min(s.Jobs, len(peaks)) && taken+peaks[fit] <= available; fit++ {
		taken += peaks[fit]
	}
	if fit < len(peaks) {
		s.Bound(fit, "%s of memory are available, and a run takes up to %s", gibibytes(available), gibibytes(peaks[0]))
	}
}

func gibibytes(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// String is a sentence for people.
func (s Share) String() string {
	text := fmt.Sprintf("%d processes make runs, with %d cores each", s.Jobs, s.Cores)
	if s.Cores == 1 {
		text = fmt.Sprintf("%d processes make runs, with a core each", s.Jobs)
	}
	switch {
	case s.Jobs == 1 && s.Cores == 1:
		text = "one process makes runs, with a core"
	case s.Jobs == 1:
		text = fmt.Sprintf("one process makes runs, with %d cores", s.Cores)
	}
	if s.Why != "" {
		text += fmt.Sprintf(", not %d: %s", s.Asked, s.Why)
	}
	return text
}
