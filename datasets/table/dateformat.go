package table

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

const datePart = `YYYY|MM|DD|hh|mm|ss`

var (
	dateFormat  = regexp.MustCompile(`^(?:` + datePart + `|AM|[-/.,: T])+$`)
	compactDate = regexp.MustCompile(`(?:` + datePart + `)(?:` + datePart + `)`)
)

// layoutOf returns Go's layout of a date format, which reads 3/1 as 03/01 unless its parts have no separator.
func layoutOf(format string) (string, error) {
	if format == "" {
		return "", nil
	}
	if !dateFormat.MatchString(format) || !strings.Contains(format, "YYYY") || !strings.Contains(format, "MM") {
		return "", invalid("Config.DateFormat %q, want YYYY, MM, and where dates have them DD, hh, mm, ss and AM, such as "+
			"MM/DD/YYYY or \"DD.MM.YYYY hh:mm\"", format)
	}
	hour := "15"
	if strings.Contains(format, "AM") {
		hour = "3"
	}
	parts := []string{"YYYY", "2006", "MM", "1", "DD", "2", "hh", hour, "mm", "4", "ss", "5", "AM", "PM"}
	if compactDate.MatchString(format) {
		for i := 3; i < len(parts)-2; i += 2 {
			if len(parts[i]) == 1 {
				parts[i] = "0" + parts[i]
			}
		}
	}
	return strings.NewReplacer(parts...).Replace(format), nil
}

// whichDate returns the date formats that a text may have, and the dates that it would be.
func whichDate(text string) (formats, dates []string) {
	const longest = len("MM/DD/YYYY hh:mm:ss AM") + len(".000000")
	if len(text) > longest {
		return nil, nil
	}
	for _, day := range []string{"MM/DD/YYYY", "DD/MM/YYYY", "YYYY/MM/DD", "DD.MM.YYYY", "MM-DD-YYYY", "DD-MM-YYYY"} {
		for _, clock := range []string{"", " hh:mm", " hh:mm:ss", " hh:mm AM", " hh:mm:ss AM"} {
			layout, _ := layoutOf(day + clock) // all are formats
			if date, err := time.Parse(layout, text); err == nil {
				formats, dates = append(formats, day+clock), append(dates, date.Format(time.DateOnly))
			}
		}
	}
	return formats, dates
}

// compact are the formats of dates that may be read as numbers.
var compact = [...]string{"YYYYMMDD", "YYYYMM"}

// isCompactDate reports whether a number is a date in a compact format, of a century in which data are likely.
func isCompactDate(number float64, format string) bool {
	const first, last = 1900, 2100
	layout, _ := layoutOf(format) // a format
	date, err := time.Parse(layout, strconv.FormatFloat(number, 'f', -1, 64))
	return err == nil && date.Year() >= first && date.Year() <= last
}

// checkNumbers returns an error if all of several times are numbers that are dates in one of the formats compact.
func (r *reader) checkNumbers() error {
	if r.closed || r.clock.dated || len(r.bins) < 2 {
		return nil
	}
	column := r.c.Edges.Time
	if column == None {
		column = r.c.Nodes.Time
	}
	for k, format := range compact {
		if r.clock.numbers[k] || k > 0 && !r.severalYears() {
			continue
		}
		return r.clock.first.fault(column, fmt.Sprintf("numbers that are all dates, such as %s", r.clock.show(r.bins[0])),
			fmt.Sprintf("Config.DateFormat %q to read them as dates", format))
	}
	return nil
}

// severalYears reports whether months such as 202012 have uneven gaps as numbers: they are of several years, and not
// of one month of them.
func (r *reader) severalYears() bool {
	differ := func(of func(at int) int) bool {
		part := func(bin int64) int { return of(int(r.clock.start(bin).number())) }
		return slices.ContainsFunc(r.bins, func(bin int64) bool { return part(bin) != part(r.bins[0]) })
	}
	return differ(func(at int) int { return at / 100 }) && differ(func(at int) int { return at % 100 })
}

// errAlike is wrapped by the error about a date whose day and month are equal, so that another row tells more.
var errAlike = errs.New(dyngraph.ErrInvalid, "day and month are equal")

// telling returns the error about the first date of a file that tells more than an error that wraps errAlike; else that
// error.
func (r *reader) telling(ctx context.Context, f *file, times column, alike error) error {
	_, err := f.each(ctx, []column{times}, func(p fileRow, cells []cell) error {
		formats, dates := whichDate(cells[0].text)
		if len(formats) == 1 || len(slices.Compact(dates)) > 1 {
			return r.clock.fault(p, *times.name, cells[0])
		}
		return nil
	})
	if err == nil {
		return alike
	}
	return err
}

// fault is the error about a cell that is not a time.
func (c *clock) fault(p fileRow, column string, v cell) *Error {
	found, remedy := p.file.whyNot(v)
	if c.layout != "" {
		return p.fault(column, v.String(), fmt.Sprintf("a date as in Config.DateFormat %q, or such as \"2020-03-31\"",
			c.format))
	}
	formats, dates := whichDate(v.text)
	switch dates = slices.Compact(dates); {
	case len(formats) == 0:
		return p.fault(column, found, wantedTime+remedy)
	case len(formats) == 1:
		return p.fault(column, v.String(), fmt.Sprintf("Config.DateFormat %q to read such dates", formats[0]))
	case len(dates) == 1:
		fault := p.fault(column, v.String(), "Config.DateFormat "+choice(formats)+" to say which comes first")
		fault.Err = errAlike
		return fault
	default:
		return p.fault(column, v.String()+", which may be "+strings.Join(dates, " or "),
			"Config.DateFormat "+choice(formats)+" to say which")
	}
}
