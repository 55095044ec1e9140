//go:build !unix

package slurm

import "os"

var warnings []os.Signal // Slurm is for Unix
