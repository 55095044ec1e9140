package experiments

// known holds what stored runs say by model and keys, see [Run.kind], and by the model alone.
type known[T any] map[string]T

// add changes what is known of a run's model and keys, and of its model.
func (k known[T]) add(r Run, change func(T) T) {
	for _, of := range []string{r.kind(), r.Model.ID} {
		k[of] = change(k[of])
	}
}

// of returns what is known of a run's model and keys, else of its model, else the zero value.
func (k known[T]) of(r Run) T {
	if value, ok := k[r.kind()]; ok {
		return value
	}
	return k[r.Model.ID]
}
