package experiments

import (
	"slices"
	"time"
)

// CostSummary reports how long the stored runs of a report trained, and on which machines.
type CostSummary struct {
	// Made counts the runs with facts.
	Made int
	// Seconds is the sum of their [store.Record.Cost].
	Seconds float64
	// Machines lists the machines that trained, and Versions the libraries with their versions, both sorted.
	Machines, Versions []string
	// First and Last are the times at which the first and the last run ended.
	First, Last time.Time
}

// CostSummary adds up the time of the stored runs.
func (r *Report) CostSummary() (s CostSummary) {
	made := r.Results.Made()
	s.Made = len(made)
	add := func(all *[]string, text string) {
		if text != "" && !slices.Contains(*all, text) {
			*all = append(*all, text)
		}
	}
	for _, result := range made {
		record := result.Record
		s.Seconds += record.Cost()
		if !result.Model.Untrained {
			add(&s.Machines, record.Machine.String())
		}
		for _, name := range []string{"gomlx", "go-xla"} {
			if v := record.Versions[name]; v != "" {
				add(&s.Versions, name+" "+v)
			}
		}
		if s.First.IsZero() || record.Ended.Before(s.First) {
			s.First = record.Ended
		}
		if record.Ended.After(s.Last) {
			s.Last = record.Ended
		}
	}
	slices.Sort(s.Machines)
	slices.Sort(s.Versions)
	return s
}

// Time formats the seconds for people.
func (s CostSummary) Time() string { return hours(s.Seconds) }

// Days returns the days on which the runs ended, "" if there are none.
func (s CostSummary) Days() string {
	if s.Made == 0 {
		return ""
	}
	first, last := s.First.Format(time.DateOnly), s.Last.Format(time.DateOnly)
	if first == last {
		return first
	}
	return first + " to " + last
}
