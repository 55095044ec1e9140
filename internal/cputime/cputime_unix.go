//go:build unix

// Package cputime measures processor time, which other processes on a machine change less than the time on its clock.
package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time of all threads of this process since it started; 0 if unknown.
func Used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
