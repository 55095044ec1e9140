//go:build !linux

package xla

import "errors"

func coresOfProcess() []int { return nil }

func keepOn(int) error { return errors.New("threads cannot be kept on a core here") }
