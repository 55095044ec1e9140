package pengcde

import "slices"

// sections splits a list in the order of an equation's parameters: their declarations, values, gradients or shapes.
// Files, optimisers and seeds use the whole list.
type sections[T any] struct{ encoder, field, head []T }

func (s sections[T]) all() []T { return slices.Concat(s.encoder, s.field, s.head) }

// sectioned splits a list of the same length as the declared parameters.
func sectioned[D, T any](declared sections[D], list []T) sections[T] {
	encoded := len(declared.encoder)
	driven := encoded + len(declared.field)
	return sections[T]{list[:encoded:encoded], list[encoded:driven:driven], list[driven:]}
}
