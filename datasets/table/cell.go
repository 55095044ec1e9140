package table

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

type cellKind uint8

const (
	missingCell cellKind = iota
	textCell
	numberCell // number
	wholeCell  // whole, exactly
	dateCell   // whole is in microseconds
)

// cell is the content of one column in one row.
type cell struct {
	kind   cellKind
	zoned  bool // whether a date in Parquet was converted to UTC and is at no midnight there
	text   string
	number float64
	whole  int64
}

// newText returns a text cell without surrounding spaces; an empty text is a missing value.
func newText(text string) cell {
	if text = strings.TrimSpace(text); text == "" {
		return cell{}
	}
	return cell{kind: textCell, text: text}
}

func (c cell) String() string {
	switch c.kind {
	case textCell:
		return errs.Quote(c.text)
	case numberCell:
		return strconv.FormatFloat(c.number, 'g', -1, 64)
	case wholeCell:
		return strconv.FormatInt(c.whole, 10)
	case dateCell:
		return errs.Quote(instant(c.whole).date().Format("2006-01-02T15:04:05.999999Z07:00"))
	}
	return "no value"
}

// marksMissing reports whether a text means a missing value.
func marksMissing(text string) bool {
	const longest = 4
	if len(text) > longest {
		return false
	}
	for _, mark := range []string{"NA", "N/A", "NaN", "null", "none"} {
		if strings.EqualFold(text, mark) {
			return true
		}
	}
	return false
}

// float returns the number of a cell that is not text, NaN if it is missing.
func (c cell) float() (value float64, ok bool) {
	switch c.kind {
	case missingCell:
		return math.NaN(), true
	case numberCell:
		return c.number, !math.IsInf(c.number, 0)
	case wholeCell:
		return float64(c.whole), true
	}
	return 0, false
}

// name returns the cell as a node's name; numbers are names as written.
func (c cell) name() (name string, ok bool) {
	switch c.kind {
	case textCell:
		return c.text, utf8.ValidString(c.text) && !strings.ContainsRune(c.text, 0)
	case wholeCell:
		return c.String(), true
	case numberCell:
		return strconv.FormatFloat(c.number, 'f', -1, 64), !math.IsInf(c.number, 0)
	}
	return "", false
}
