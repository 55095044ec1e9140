//go:build !linux || !cgo

package xla

import "fmt"

type compiler struct{}

func newCompiler(string, Target) (compiler, error) {
	return compiler{}, fmt.Errorf("%w: compiling ahead of time is for Linux, and built with cgo", ErrPlugin)
}

func (compiler) compile(Source, []byte) (*Compiled, error) { return nil, ErrPlugin }

func (compiler) close() {}
