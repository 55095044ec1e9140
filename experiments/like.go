package experiments

// takeOthers copies missing runs from the studies in [Study].Like, instead of making them.
func (w *runner) takeOthers() (err error) {
	w.missing, err = w.fromOthers(w.missing, func(r Result, record Record) error { return r.slot.Save(record) })
	return err
}

// fromOthers calls take with each missing run that a study in [Study].Like has stored, and returns the rest.
func (w *runner) fromOthers(missing Results, take func(Result, Record) error) (Results, error) {
	for _, name := range w.study.Like {
		other, err := openStore(name, w.options)
		if err != nil {
			return nil, err
		}
		left := missing[:0:0]
		for _, r := range missing {
			record, _, err := r.slot.In(other).Read()
			if err != nil {
				return nil, err
			}
			if record == nil || record.Error != "" {
				left = append(left, r)
			} else if err := take(r, *record); err != nil {
				return nil, err
			}
		}
		missing = left
	}
	return missing, nil
}
