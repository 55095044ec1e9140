package xla

import (
	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	_ "github.com/gomlx/go-xla/compute/xla"
)

// Config chooses a backend; the zero value lets [Open] choose.
type Config struct{ Backend string }

// Open opens a backend.
func Open(cfg Config) (*Backend, error) {
	name := cfg.Backend
	if name == "" {
		name = "xla:cpu"
	}
	b, err := compute.NewWithConfig(name)
	if err != nil {
		return nil, err
	}
	return &Backend{Compute: b, Device: name}, nil
}
