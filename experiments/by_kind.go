package experiments

// byKind maps the model and keys of runs, see [Run.kind], and the model alone, to values from stored runs.
type byKind[T any] map[string]T

// add changes the values for a run's model and keys, and for its model.
func (b byKind[T]) add(r Run, change func(T) T) {
	for _, key := range []string{r.kind(), r.Model.ID} {
		b[key] = change(b[key])
	}
}

// of returns the value for a run's model and keys, else for its model, else the zero value.
func (b byKind[T]) of(r Run) T {
	if value, ok := b[r.kind()]; ok {
		return value
	}
	return b[r.Model.ID]
}
