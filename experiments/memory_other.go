//go:build !linux

package experiments

func resetPeak() {}

func peakBytes() int64 { return 0 }
