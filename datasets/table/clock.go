package table

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/tabular"
)

// layouts are the accepted date formats. A time of day may have a zone, UTC without, and fractions of a second.
var layouts = []string{
	time.DateOnly, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700",
	"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01",
}

const wantedTime = `a number or a date such as "2020-03-31", "2020-03" or "2020-03-31T18:30:00Z"`

// monday is the origin of steps that are durations.
var monday = time.Date(1970, time.January, 5, 0, 0, 0, 0, time.UTC).UnixMicro()

// instant is a time as an integer with the same order: microseconds of a date, or the bits of a number, inverted for
// negative numbers.
type instant int64

func instantOf(number float64) instant {
	bits := int64(math.Float64bits(number + 0)) // -0 becomes 0
	return instant(bits ^ int64(uint64(bits>>63)>>1))
}

func (i instant) number() float64 {
	return math.Float64frombits(uint64(int64(i) ^ int64(uint64(int64(i)>>63)>>1)))
}

func (i instant) date() time.Time { return time.UnixMicro(int64(i)).UTC() }

// clock reads the times of both files: all are numbers, or all are dates.
type clock struct {
	step           Step
	format, layout string // Config.DateFormat, and as Go writes it
	known          bool   // whether dated is
	dated          bool
	first          fileRow            // of the time that decided it
	zoned          fileRow            // of the first time with an offset or a zone; the zero value if there is none
	zone           string             // what that time is like
	numbers        [len(compact)]bool // whether a time is a number that is no date in each format

	text string // of the last cell, whose bin and instant these are
	at   instant
	bin  int64
}

// read returns the instant of a cell and the number of its snapshot: the number of its step, or without steps the
// instant.
func (c *clock) read(p fileRow, column string, v cell) (instant, int64, *Error) {
	if v.kind == textCell && c.text != "" && v.text == c.text {
		return c.at, c.bin, nil
	}
	at, dated, ok := c.parse(p, v)
	if !ok {
		return 0, 0, c.fault(p, column, v)
	}
	if c.step.Number == 0 && !dated && rounded(v, at.number()) {
		return 0, 0, p.fault(column, v.String(), "a number that a float64 holds exactly, as numbers up to 2^53 "+
			"are: dates, or the number less the first time")
	}
	if !c.known {
		c.known, c.dated, c.first = true, dated, p
		if c.step.Number != 0 && dated {
			return 0, 0, p.fault(column, "the date "+v.String(), fmt.Sprintf("numbers for the step %v, or a step such as "+
				"\"1d\"", c.step))
		}
		if c.step.Duration != 0 && !dated {
			return 0, 0, p.fault(column, "the number "+v.String(), fmt.Sprintf("dates for the step %v, or a step that is a "+
				"number in the unit of this column", c.step))
		}
	}
	if dated != c.dated {
		if dated {
			return 0, 0, p.fault(column, "the date "+v.String(), "a number, as in "+c.first.String())
		}
		return 0, 0, p.fault(column, "the number "+v.String(), "a date, as in "+c.first.String())
	}
	for k, format := range compact {
		c.numbers[k] = c.numbers[k] || !dated && !isCompactDate(at.number(), format)
	}
	bin, ok := c.binOf(at)
	if !ok {
		return 0, 0, p.fault(column, v.String(), fmt.Sprintf("times that the step %v divides into fewer than 2^50 "+
			"parts: take a larger step", c.step))
	}
	c.text, c.at, c.bin = "", at, bin
	if v.kind == textCell {
		c.text = strings.Clone(v.text)
	}
	return at, bin, nil
}

// rounded reports whether a whole number was rounded, so that different times may have become equal.
func rounded(v cell, number float64) bool {
	const exact = 1 << 53
	if math.Abs(number) < exact {
		return false
	}
	whole := v.whole
	if v.kind == textCell {
		var err error
		if whole, err = strconv.ParseInt(v.text, 10, 64); err != nil {
			return errors.Is(err, strconv.ErrRange) // else it is written as a float64, such as 1.7e18
		}
	} else if v.kind != wholeCell {
		return false
	}
	return number >= 1<<63 || int64(number) != whole
}

func (c *clock) binOf(at instant) (int64, bool) {
	switch {
	case c.step.Duration != 0:
		width, since := c.step.Duration.Microseconds(), int64(at)-monday
		bin := since / width
		if since%width < 0 {
			bin--
		}
		return bin, true
	case c.step.Number != 0:
		bin := dyngraph.StepOf(0, c.step.Number, at.number())
		return int64(bin), math.Abs(bin) < 1<<50
	}
	return int64(at), true
}

// start returns the time at which a snapshot begins.
func (c *clock) start(bin int64) instant {
	switch {
	case c.step.Duration != 0:
		return instant(bin*c.step.Duration.Microseconds() + monday)
	case c.step.Number != 0:
		return instantOf(float64(bin) * c.step.Number)
	}
	return instant(bin)
}

// passed returns the fraction of its step that is before a time.
func (c *clock) passed(bin int64, at instant) float64 {
	if c.step.Duration != 0 {
		return float64(at-c.start(bin)) / float64(c.step.Duration.Microseconds())
	}
	return (at.number() - c.start(bin).number()) / c.step.Number
}

// show returns the start of a snapshot as text.
func (c *clock) show(bin int64) string { return c.write(c.start(bin)) }

// write returns a time as text.
func (c *clock) write(at instant) string {
	if !c.dated {
		return tabular.FormatNumber(at.number())
	}
	date := at.date()
	return tabular.FormatTime(date, tabular.WholeDay(date))
}

// parse reads a number or a date, or only a date if dates have a format of their own.
func (c *clock) parse(p fileRow, v cell) (at instant, dated, ok bool) {
	text := v.text
	if c.layout != "" {
		if v.kind == wholeCell {
			text = v.String() // such as 20200331
		}
		if date, err := time.Parse(c.layout, text); err == nil {
			return instant(date.UnixMicro()), true, true
		}
	}
	switch v.kind {
	case dateCell:
		c.noteZone(p, v.zoned, "was converted to UTC and is at no midnight there")
		return instant(v.whole), true, true
	case textCell:
		if number, ok := p.number(text); ok {
			return instantOf(number), false, c.layout == "" && !math.IsInf(number, 0) && !math.IsNaN(number)
		}
	default:
		number, ok := v.float()
		return instantOf(number), false, ok && c.layout == "" && !math.IsNaN(number)
	}
	for _, layout := range layouts {
		if len(layout) > len(text)+len("Z07:00") {
			continue
		}
		if date, err := time.Parse(layout, text); err == nil {
			_, offset := date.Zone()
			c.noteZone(p, offset != 0, "has an offset from UTC")
			return instant(date.UnixMicro()), true, true
		}
	}
	return 0, false, false
}

// noteZone keeps the row of the first time with a zone, and what that time is like.
func (c *clock) noteZone(p fileRow, zoned bool, is string) {
	if zoned && c.zoned.file == nil {
		c.zoned, c.zone = p, is
	}
}
