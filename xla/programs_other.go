//go:build !linux || !cgo

package xla

func intercepting(_ string, open func() error) (notice string, err error) { return "", open() }

func intercepted(string) bool { return false }

func withoutKernels(string) string { return "they are for Linux, built with cgo" }

func compileElsewhere() {}

func intercepts() bool { return false }
