//go:build !linux || !cgo

package xla

func intercepting(_ string, open func() error) (notice string, err error) { return "", open() }

func kernelsIn(string) bool { return false }

func compileElsewhere() {}
