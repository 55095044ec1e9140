//go:build !linux || !cgo

package kernels

import "unsafe"

// All returns the kernels of this package by name. It is empty where XLA does not call kernels.
func All() map[string]unsafe.Pointer { return nil }

// Emulated returns the kernels of [PTX] as functions for a CPU. It is empty where XLA does not call kernels.
func Emulated(bool) map[string]unsafe.Pointer { return nil }

// Wide is false where XLA does not call kernels.
func Wide() bool { return false }

// Narrow does nothing where XLA does not call kernels.
func Narrow() {}
