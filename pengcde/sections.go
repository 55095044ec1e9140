package pengcde

import "slices"

// sections are the parts of a list that follow the parameters of an equation: declared, drawn, their gradients or their
// shapes. Files, optimisers and seeds take the whole list.
type sections[T any] struct{ encoder, field, head []T }

func (s sections[T]) all() []T { return slices.Concat(s.encoder, s.field, s.head) }

// sectioned cuts a list that is as long as the declared one.
func sectioned[D, T any](declared sections[D], list []T) sections[T] {
	encoded := len(declared.encoder)
	driven := encoded + len(declared.field)
	return sections[T]{list[:encoded:encoded], list[encoded:driven:driven], list[driven:]}
}
