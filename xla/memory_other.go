//go:build !linux || !cgo

package xla

func keepFreedMemory() {}
