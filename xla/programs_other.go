//go:build !linux || !cgo

package xla

func intercepting(_ string, open func() error) error { return open() }

func kernelsIn(string) bool { return false }

func compileElsewhere() {}
