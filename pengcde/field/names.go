package field

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// named is a field, or a network of package sequence, with default options and its name in files.
type named struct {
	name  string
	model any
}

var fields = []named{
	{"peng", PENG{}}, {"affine", Affine()}, {"original", Original{}}, {"adjacency", Adjacency{}},
	{"pre-mult", PreMult{}}, {"gn-ode", GNODE{}}, {"constant", Constant{}},
}

var _ = []interface {
	Sizer
	Traiter
}{PENG{}, Original{}, Adjacency{}, PreMult{}, GNODE{}, Constant{}}

// registered starts with the fields of this package.
var registered = slices.Clone(fields)

// Register assigns a name in files to a field or a network of package sequence, so that files with its models load
// without a value of it. model is a value, not a pointer, with the options that the name implies. Call Register from an
// init function. It panics if the name or the type is already registered.
func Register(name string, model any) {
	for _, r := range registered {
		if r.name == name || reflect.TypeOf(r.model) == reflect.TypeOf(model) {
			panic(invalid("Register of %q for a %T, and %q is the name of a %T", name, model, r.name, r.model))
		}
	}
	registered = append(registered, named{name, model})
}

// Registered returns the field or network with a name in files, with default options; nil if no imported package
// registers the name.
func Registered(name string) any {
	for _, r := range registered {
		if r.name == name {
			return r.model
		}
	}
	return nil
}

// FileNamed is a custom field, or a network of package sequence, that sets its name in files of models and in
// identities of runs. Without the method or [Register], the name is the name of its Go type, and a file no longer loads
// after the type is renamed.
type FileNamed interface{ FileName() string }

// Name returns the name of a field or a network in files: the registered name, such as "peng" for PENG with any
// options; the name that it sets by [FileNamed]; or the name of its Go type.
func Name(model any) string {
	for _, r := range registered {
		if reflect.TypeOf(model) == reflect.TypeOf(r.model) {
			return r.name
		}
	}
	if own, ok := model.(FileNamed); ok {
		return own.FileName()
	}
	return fmt.Sprintf("%T", model)
}

// Names returns the names of the fields of this package. "affine" is [Affine], a PENG with other options: files and
// [Name] use "peng" for both, with the options that distinguish them.
func Names() []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	return all
}

// Named returns the field of a name, one of [Names], with sizes and options at 0; "affine" has the options of [Affine].
// For an unknown name the error wraps [ErrInput].
func Named(name string) (Field, error) {
	if !slices.Contains(Names(), name) {
		return nil, invalid("no field %q, %s", name, nearest.Want(name, Names()))
	}
	return Registered(name).(Field), nil
}
