//go:build !linux || !cgo

package xla

func addOptions(string, map[string]any) bool { return false }

func repeatLoops(string) bool { return false }
