package bounded

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
)

// Env names the environment variable whose number of bytes raises every default limit that is lower.
const Env = "PENGCDE_MAX_BYTES"

// ErrTooLarge is wrapped by errors about content of more bytes than its limit.
var ErrTooLarge = errors.New("more bytes than the limit")

// Limit is the largest number of bytes of content to read.
type Limit struct {
	// Bytes are counted after unpacking. 0 means Default, or more where the environment variable [Env] says so.
	Bytes, Default int64
	// Option names the setting of Bytes, such as "table.Config.MaxBytes"; "" if there is only [Env].
	Option string
}

// TooLargeError names a limit that content exceeds, and the setting that raises it. It wraps [ErrTooLarge].
type TooLargeError struct {
	Limit  int64
	Option string // "" where only [Env] raises it
}

// Found says how much there is, "more than 1048576 bytes of content".
func (e *TooLargeError) Found() string { return fmt.Sprintf("more than %d bytes of content", e.Limit) }

// Wanted names what raises the limit, as in "no more, unless the environment variable ... sets a higher limit".
func (e *TooLargeError) Wanted() string {
	if e.Option == "" {
		return fmt.Sprintf("no more, unless the environment variable %s sets a higher limit", Env)
	}
	return fmt.Sprintf("no more, unless %s or the environment variable %s sets a higher limit", e.Option, Env)
}

func (e *TooLargeError) Error() string { return e.Found() + ", want " + e.Wanted() }

// Unwrap is [ErrTooLarge].
func (e *TooLargeError) Unwrap() error { return ErrTooLarge }

// Budget is the number of bytes left of a limit.
type Budget struct {
	limit       Limit
	bytes, left int64
}

// Budget returns a budget with all bytes of the limit left.
func (l Limit) Budget() (*Budget, error) {
	bytes, err := l.Resolve()
	return &Budget{l, bytes, bytes}, err
}

// Take subtracts bytes from the budget, or returns a [*TooLargeError] if fewer are left.
func (b *Budget) Take(bytes int64) error {
	if bytes > b.left {
		b.left = 0
		return b.limit.exceeded(b.bytes)
	}
	b.left -= bytes
	return nil
}

// exceeded is the error about a limit of so many bytes.
func (l Limit) exceeded(bytes int64) error { return &TooLargeError{bytes, l.Option} }

// Resolve returns the number of bytes, below the largest int64, so that a reader can ask for one more.
func (l Limit) Resolve() (int64, error) {
	bytes, err := l.resolve()
	return min(bytes, math.MaxInt64-1), err
}

func (l Limit) resolve() (int64, error) {
	switch setting := os.Getenv(Env); {
	case l.Bytes < 0:
		return 0, fmt.Errorf("%s is %d, want a number of bytes", l.Option, l.Bytes)
	case l.Bytes > 0:
		return l.Bytes, nil
	case setting != "":
		bytes, err := strconv.ParseInt(setting, 10, 64)
		if err != nil || bytes <= 0 {
			return 0, fmt.Errorf("the environment variable %s is %q, want a number of bytes such as %d", Env, setting,
				l.Default)
		}
		return max(bytes, l.Default), nil
	}
	return l.Default, nil
}
