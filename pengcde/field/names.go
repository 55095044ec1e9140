package field

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// named is a field, or a network of package sequence, with its name in files and its options at their defaults.
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

// registered begins with the fields of this package.
var registered = slices.Clone(fields)

// Register gives a field, or a network of package sequence, a name in files, so that files with its models load without
// a value of it. It takes a value, not a pointer, with the options that the name alone stands for, and is to be called
// by an init function. It panics where the name or the type has been registered.
func Register(name string, model any) {
	for _, r := range registered {
		if r.name == name || reflect.TypeOf(r.model) == reflect.TypeOf(model) {
			panic(invalid("Register of %q for a %T, and %q is the name of a %T", name, model, r.name, r.model))
		}
	}
	registered = append(registered, named{name, model})
}

// Registered is the field or the network of a name in files, with its options at their defaults; nil where no imported
// package registers one.
func Registered(name string) any {
	for _, r := range registered {
		if r.name == name {
			return r.model
		}
	}
	return nil
}

// FileNamed is a field of one's own, or a network of package sequence, that says what files of models and identities of
// runs call it. Without the method, or [Register], the name is the name of its Go type, and a file loads no more once
// the type is renamed.
type FileNamed interface{ FileName() string }

// Name is the name of a field or a network in files: one that is registered, such as "peng" for PENG with any options;
// its own where it is [FileNamed]; or the name of its Go type.
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

// Names lists the names of the fields of this package. "affine" is [Affine], a PENG with other options: files and
// [Name] have "peng" for both, with the options that tell them apart.
func Names() []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	return all
}

// Named is the field of a name, one of [Names], with sizes and options at 0; "affine" has the options of [Affine]. The
// error wraps [ErrInput].
func Named(name string) (Field, error) {
	if !slices.Contains(Names(), name) {
		return nil, invalid("no field %q, %s", name, nearest.Want(name, Names()))
	}
	return Registered(name).(Field), nil
}
