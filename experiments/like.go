package experiments

import "context"

// takeOthers copies missing runs from the studies in [Study].Like, instead of making them.
func (w *runner) takeOthers() (err error) {
	w.missing, err = w.fromOthers(w.missing, func(r Result, record Record) error { return r.slot.Save(record) })
	return err
}

// toMake finds the runs, and returns a runner of the missing ones and the number of those that it would copy instead.
func (s Study) toMake(ctx context.Context, o Options) (r *Report, w *runner, copied int, err error) {
	if r, err = s.find(ctx, o); err != nil {
		return nil, nil, 0, err
	}
	w = s.runner(r, o)
	w.missing, err = w.fromOthers(r.Results.only(w.wanted), func(Result, Record) error {
		copied++
		return nil
	})
	return r, w, copied, err
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
