//go:build !linux || !cgo

package kernels

import "unsafe"

// All returns the kernels of this package by name. It is empty where XLA does not call kernels.
func All() map[string]unsafe.Pointer { return nil }

// Level is 1 where XLA does not call kernels.
func Level() int { return 1 }

// Limit does nothing where XLA does not call kernels.
func Limit(int) {}

// Divide does nothing where XLA does not call kernels.
func Divide(int) {}

// Tasks is 0 where XLA does not call kernels.
func Tasks() int { return 0 }
