//go:build !linux

package resident

func Available() int64 { return 0 }

func Kills() int64 { return 0 }
