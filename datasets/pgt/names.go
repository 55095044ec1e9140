package pgt

import "time"

// names returns the names of the nodes, nil where the file has none.
func (c config) names(f *file, nodes int) ([]string, error) {
	if f.Names == nil {
		return nil, nil
	}
	if len(f.Names) != nodes {
		return nil, c.invalid("names of %d nodes, y has %d: want one for each, in the order of y, or leave out names",
			len(f.Names), nodes)
	}
	names := make([]string, nodes)
	for u, name := range f.Names {
		if name != nil { // an empty name is for Series.Validate
			names[u] = *name
		}
	}
	return names, nil
}

// dates returns the dates of all days, nil where the file has none.
func (c config) dates(f *file, days int) ([]time.Time, error) {
	if f.Dates == nil {
		return nil, nil
	}
	if len(f.Dates) != days {
		return nil, c.invalid("dates of %d days, y has %d: want one for each, or leave out dates", len(f.Dates), days)
	}
	dates := make([]time.Time, days)
	for t, text := range f.Dates {
		if text == nil {
			return nil, c.invalid("date of day %d is null, want one such as %q", t, time.DateOnly)
		}
		var err error
		if dates[t], err = time.Parse(time.DateOnly, *text); err != nil {
			return nil, c.invalid("date of day %d is %q, want one such as %q", t, *text, time.DateOnly)
		}
		if t > 0 && !dates[t].Equal(dates[t-1].AddDate(0, 0, 1)) {
			return nil, c.invalid("date of day %d is %s after %s, want the next day: lags count days, so fill in the "+
				"days between", t, *text, *f.Dates[t-1])
		}
	}
	return dates, nil
}
