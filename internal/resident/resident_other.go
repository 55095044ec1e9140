//go:build !linux

package resident

func Reset() {}

func Peak() int64 { return 0 }
