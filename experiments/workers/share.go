package workers

import "fmt"

// Share is the number of processes that make runs in parallel.
type Share struct {
	// Jobs is the number of processes, and Cores the number of cores of each.
	Jobs, Cores int
	// Asked is the requested number of processes. Why says what limits Jobs; "" if Jobs equals Asked.
	Asked int
	Why   string
}

// Bound limits the number of processes to jobs, but to no less than one, and keeps the reason if that lowers the
// number.
func (s *Share) Bound(jobs int, why string, args ...any) {
	if jobs = max(1, jobs); jobs < s.Jobs {
		s.Jobs, s.Why = jobs, fmt.Sprintf(why, args...)
	}
}

// BoundMemory limits the number of processes so that their peaks fit in the available bytes together. Peaks are in
// bytes, largest first.
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

// String returns a sentence for people.
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
