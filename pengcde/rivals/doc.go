// Package rivals implements the networks that the paper compares PENG-CDE with: [DCRNN], [ASTGCN] and [STIDGCN], for
// pengcde.Config.Network, and [STGNCDE], a vector field for pengcde.Config.Field.
//
// A program that imports the package can load models of these networks from their files. A program that only loads them
// imports it for this side effect:
//
//	import _ "github.com/peng-cde/pengcde-go/pengcde/rivals"
package rivals

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
)

var (
	_ = []interface {
		sequence.Network
		sequence.Normaliser
		sequence.Resolver
	}{DCRNN{}, ASTGCN{}, STIDGCN{}}
	_ = []sequence.NonNegative{DCRNN{}, ASTGCN{}}
	_ = []interface {
		field.Field
		field.Sizer
		field.Traiter
	}{STGNCDE{}}
)

func init() {
	field.Register("dcrnn", DCRNN{})
	field.Register("astgcn", ASTGCN{})
	field.Register("stidgcn", STIDGCN{})
	field.Register("stg-ncde", STGNCDE{})
}

// ErrInput is wrapped by errors about sizes and options that a network cannot have.
var ErrInput = errs.ErrInput

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/rivals: %s", fmt.Sprintf(format, args...))
}
