//go:build !linux

package xla

import "errors"

func coresOfProcess() []int { return nil }

func newWorker(func() (*Backend, error), int) (*Worker, error) {
	return nil, errors.New("threads cannot be kept on a core here")
}
