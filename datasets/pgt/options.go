package pgt

import "slices"

// Option changes how a file is read.
type Option func(*config)

type config struct {
	name            string
	lag             int
	standardisation Standardisation
	maxBytes        int64
}

// Lag sets the number of days in the features of a snapshot; the default is 8.
func Lag(days int) Option { return func(c *config) { c.lag = days } }

// Standardise sets how cases are standardised; the default is [Published].
func Standardise(s Standardisation) Option { return func(c *config) { c.standardisation = s } }

// Name sets the name of the series; the default is the file's name.
func Name(name string) Option { return func(c *config) { c.name = name } }

// MaxBytes sets the largest size of a file in bytes, counted after unpacking. The default is 32 MiB, or the environment
// variable PENGCDE_MAX_BYTES if that is more: JSON may take 40 times its size in memory while it is read.
func MaxBytes(bytes int64) Option { return func(c *config) { c.maxBytes = bytes } }

func newConfig(name string, options []Option) (config, error) {
	c := config{name: name, lag: 8}
	for _, option := range options {
		option(&c)
	}
	switch {
	case !slices.Contains([]Standardisation{"", Published, PastOnly}, c.standardisation):
		return c, c.invalid("standardisation %q, want %q or %q", c.standardisation, Published, PastOnly)
	case c.lag < 1:
		return c, c.invalid("lag of %d days, want at least 1", c.lag)
	case c.lag < 2 && c.standardisation == PastOnly:
		return c, c.invalid("PastOnly with a lag of 1 day leaves no day before the first snapshot's newest one, want a " +
			"lag of at least 2")
	}
	return c, nil
}
