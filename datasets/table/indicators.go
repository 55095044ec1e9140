package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// CalendarPart is a part of a date that is a feature of all nodes.
type CalendarPart string

const (
	// Weekday is an indicator for each day of the week, Monday first.
	Weekday CalendarPart = "weekday"
	// Month is the sine and the cosine of the month's place in the year, so that months which the training times lack
	// have neighbours there.
	Month CalendarPart = "month"
)

// calendarParts returns the features of each part of a date.
var calendarParts = map[CalendarPart]func(time.Time) []float64{
	Weekday: func(date time.Time) []float64 { return indicators(int(date.Weekday()+6)%7, 7) },
	Month: func(date time.Time) []float64 {
		sin, cos := math.Sincos(2 * math.Pi * float64(date.Month()-1) / 12)
		return []float64{sin, cos}
	},
}

const (
	// mostCategories is the most that a column has in the training times: each is a feature of every node.
	mostCategories = 64
	// mostTexts is the most different texts in a column, of all times.
	mostTexts = 1 << 12
)

// indicators returns n zeros, with a 1 at an index from 0 to n-1.
func indicators(index, n int) []float64 {
	row := make([]float64, n)
	if index >= 0 && index < n {
		row[index] = 1
	}
	return row
}

// texts numbers the texts of a column in the order in which they occur.
type texts struct {
	numbers map[string]int
	all     []string
}

// number returns the number of a cell's text, NaN if it is missing.
func (t *texts) number(p fileRow, column string, v cell) (float64, *Error) {
	if v.kind == missingCell || v.kind == textCell && v.text == "" { // "NA" and "none" may be categories
		return math.NaN(), nil
	}
	name, ok := v.name()
	if !ok {
		return 0, p.fault(column, v.String(), "a text in UTF-8 without NUL bytes, or a whole number")
	}
	number, found := t.numbers[name]
	if !found {
		if len(t.all) == mostTexts {
			return 0, p.fault(column, fmt.Sprintf("more than %d different texts", mostTexts), wantedCategories)
		}
		name = strings.Clone(name) // of a whole line
		number = len(t.all)
		if t.numbers == nil {
			t.numbers = make(map[string]int)
		}
		t.numbers[name], t.all = number, append(t.all, name)
	}
	return float64(number), nil
}

var wantedCategories = fmt.Sprintf("at most %d: combine some, or write numbers and read them by Nodes.Features",
	mostCategories)

// categories sets the categories of each column: its texts in the first steps.
func (r *Recipe) categories(path string, v values, steps int) error {
	size := len(r.Config.Nodes.Categories)
	for k, column := range r.Config.Nodes.Categories {
		var found []string
		for _, row := range v.texts[:steps] {
			for at := k; at < len(row); at += size {
				if !math.IsNaN(row[at]) {
					found = append(found, v.names[k].all[int(row[at])])
				}
			}
			slices.Sort(found)
			found = slices.Compact(found)
		}
		if len(found) > mostCategories {
			return &Error{Path: path, Column: column, Wanted: wantedCategories,
				Found: fmt.Sprintf("%d categories in the first %.3g %% of times, such as %s", len(found),
					100*r.Config.TrainFraction, list(found))}
		}
		if len(found) == 0 {
			return &Error{Path: path, Column: column, Found: fmt.Sprintf("no category in the first %.3g %% of times",
				100*r.Config.TrainFraction), Wanted: "texts there, or to leave the column out"}
		}
		r.Categories = append(r.Categories, found)
	}
	return nil
}

// extra returns the number of features that are indicators and parts of dates.
func (r *Recipe) extra() (count int) {
	for _, of := range r.Categories {
		count += len(of)
	}
	for _, part := range r.Config.Calendar {
		count += len(calendarParts[part](time.Time{}))
	}
	return count
}

// extend appends to each node's features the indicators of its categories, NaN where they are missing and 0 for a text
// that is no category, and the parts of the dates.
func (r *Recipe) extend(v *values, dates []time.Time, nodes int) {
	extra := r.extra()
	if extra == 0 {
		return
	}
	indices := make([][]int, len(r.Categories)) // of each text among the categories
	for k, of := range r.Categories {
		for _, text := range v.names[k].all {
			at, found := slices.BinarySearch(of, text)
			if !found {
				at = -1
			}
			indices[k] = append(indices[k], at)
		}
	}
	for t, row := range v.x {
		var calendar []float64
		for _, part := range r.Config.Calendar {
			calendar = append(calendar, calendarParts[part](dates[t])...)
		}
		extended := make([]float64, 0, len(row)+nodes*extra)
		for u := range nodes {
			extended = append(extended, row[u*v.features:(u+1)*v.features]...)
			for k, of := range r.Categories {
				if text := v.texts[t][u*len(r.Categories)+k]; math.IsNaN(text) {
					extended = append(extended, nans(len(of))...)
				} else {
					extended = append(extended, indicators(indices[k][int(text)], len(of))...)
				}
			}
			extended = append(extended, calendar...)
		}
		v.x[t] = extended
	}
	v.features += extra
}
