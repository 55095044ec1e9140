package table

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
)

// grouped are numbers that are other ones if their sign separates thousands: 1,234 and 1.234.
var grouped = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// number reads a number in text of a row. A file separated by semicolons has the decimal sign of its first number with
// one that does not look like a separator of thousands.
func (p fileRow) number(text string) (value float64, ok bool) {
	f := p.file
	at := strings.IndexAny(text, ".,")
	if at < 0 || f.decimal == '.' {
		return csvrows.ParseNumber(text)
	}
	sign := text[at]
	if f.decimal == 0 && grouped.MatchString(text) || f.decimal != 0 && sign != f.decimal {
		return 0, false
	}
	if value, ok = csvrows.ParseNumber(text[:at] + "." + text[at+1:]); ok && f.decimal == 0 {
		f.decimal, f.decided = sign, p.at
	}
	return value, ok
}

// value returns the number in a cell, NaN if it is missing, or an error with the text that is wanted.
func (p fileRow) value(column string, v cell, wanted string) (float64, *Error) {
	value, ok := v.float()
	if v.kind == textCell {
		if value, ok = p.number(v.text); !ok && marksMissing(v.text) {
			return math.NaN(), nil
		}
	}
	if !ok || math.IsInf(value, 0) {
		found, remedy := p.file.whyNot(v)
		return 0, p.fault(column, found, wanted+remedy)
	}
	return value, nil
}

// whyNot returns a cell's content for an error, the reason if it looks like a number but is none, and what to do.
func (f *file) whyNot(v cell) (found, remedy string) {
	found = v.String()
	if v.kind != textCell {
		return found, ""
	}
	if why := csvrows.WhyNot(v.text); why != "" {
		return found + why, ""
	}
	signs := strings.Count(v.text, ".") + strings.Count(v.text, ",")
	if _, ok := csvrows.ParseNumber(strings.NewReplacer(".", "", ",", "").Replace(v.text)); !ok || signs == 0 {
		return found, ""
	}
	const thousands = ", without separators of thousands: 1234.5 or 1234,5"
	switch {
	case signs > 1:
		return found + ", which has more than one point or comma", thousands
	case f.decimal == 0:
		return found + ", whose sign may be of decimals or of thousands", `; Config.Decimal "," or "." decides`
	case f.decided > 0:
		return fmt.Sprintf("%s, but %q is the decimal sign in line %d", found, f.decimal, f.decided), thousands
	case f.decimal == ',':
		return found + ", where the decimal sign is a comma", `; Config.Decimal "." reads decimal points`
	}
	return found, `; Config.Decimal "," reads decimal commas`
}
