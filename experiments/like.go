package experiments

// takeOthers copies missing runs from the studies in [Study].Like, instead of making them.
func (w *runner) takeOthers() error {
	for _, name := range w.study.Like {
		other, err := openStore(name, w.options)
		if err != nil {
			return err
		}
		left := w.missing[:0:0]
		for _, r := range w.missing {
			record, _, err := r.slot.In(other).Read()
			if err != nil {
				return err
			}
			if record == nil || record.Error != "" {
				left = append(left, r)
			} else if err := r.slot.Save(*record); err != nil {
				return err
			}
		}
		w.missing = left
	}
	return nil
}
