//go:build !unix

// Package cputime measures processor time.
package cputime

import "time"

// Used returns 0: the processor time is not known here.
func Used() time.Duration { return 0 }
