//go:build !linux || !cgo

package xla

func keepingPrograms(_ string, open func() error) error { return open() }

func compileElsewhere() {}
