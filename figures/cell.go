package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// Cell is one cell of a table: a text, a number, or a mean with the half-width of its interval or with a range, and
// optionally the published result. The zero value is a missing result.
type Cell struct {
	kind      cellKind
	text      string
	mean      float64
	half      float64 // 0 or NaN is unknown
	low, high float64 // the range of a mean; both 0 without one
	of        string
	published *Cell
	tone      Tone
	says      string // under the pointer
	none      bool   // a text in place of a result
}

// Tone shades a text cell. Pages show it only as a colour, so the text must say the same.
type Tone uint8

const (
	Neutral Tone = iota
	Favourable
	Unfavourable
)

// Marked returns a text cell with a shade and, on pages, a tooltip.
func Marked(text string, tone Tone, says string) Cell {
	return Cell{kind: textCell, text: text, tone: tone, says: says}
}

type cellKind uint8

const (
	missingCell cellKind = iota
	textCell
	numberCell
)

// Missing returns a cell for a missing result, shown as "–".
func Missing() Cell { return Cell{} }

// Text returns a text cell, such as a model's name. It is never compared.
func Text(s string) Cell { return Cell{kind: textCell, text: s} }

// NoResult returns a text cell that says why there is no result. Tables name rows of such cells in a sentence.
func NoResult(why string) Cell { return Cell{kind: textCell, text: why, none: true} }

// Number returns a cell with a value without an interval. NaN is Missing.
func Number(value float64) Cell { return Estimate(value, math.NaN()) }

// Estimate returns a cell with a mean and the half-width of its 95% interval (NaN if unknown, as for one seed). A NaN
// mean is Missing.
func Estimate(mean, half float64) Cell {
	if math.IsNaN(mean) {
		return Cell{}
	}
	return Cell{kind: numberCell, mean: mean, half: half}
}

// Ranged returns a cell with a mean and the lowest and highest of the values behind it. It suits few values, or values
// of different orders, such as squared errors: a symmetric interval of these may end below 0.
func Ranged(mean, low, high float64) Cell {
	c := Number(mean)
	if c.kind == numberCell {
		c.low, c.high = low, high
	}
	return c
}

// Published returns the cell with a published result, which a table shows in a column of its own. A missing one
// changes nothing.
func (c Cell) Published(result Cell) Cell {
	if !result.IsMissing() {
		c.published = &result
	}
	return c
}

// Incomplete returns a number with a text shown after it, such as "3 of 10 seeds". It is never compared.
func (c Cell) Incomplete(of string) Cell {
	if c.kind == numberCell {
		c.of = of
	}
	return c
}

// IsMissing reports whether the cell has no result.
func (c Cell) IsMissing() bool { return c.kind == missingCell }

// compared reports whether the cell takes part in the search for the best.
func (c Cell) compared() bool { return c.finite() && c.of == "" }

func (c Cell) finite() bool { return c.kind == numberCell && !math.IsInf(c.mean, 0) }

// value formats the cell's own content with the column's number of decimals.
func (c Cell) value(decimals int) string {
	switch c.kind {
	case textCell:
		return c.text
	case numberCell:
		return c.number(decimals)
	}
	return "–"
}

func (c Cell) ranged() bool { return c.low != 0 || c.high != 0 }

func (c Cell) number(decimals int) string {
	power, unit := 0, 1.0
	largest := floats.Max([]float64{math.Abs(c.mean), finiteOr0(c.half), math.Abs(c.low), math.Abs(c.high)})
	if largest > 0 && !math.IsInf(largest, 0) {
		order := int(math.Floor(math.Log10(largest)))
		decimals = max(0, min(decimals, 4-order)) // five digits say enough of a large number
		if order >= 6 || largest < 0.5*math.Pow(10, -float64(decimals)) {
			power, unit, decimals = order, math.Pow(10, float64(order)), 2
		}
	}
	times := ""
	if power != 0 {
		times = "×10" + superscript(power)
	}
	s := decimal(c.mean/unit, decimals)
	switch {
	case c.ranged():
		low, high := decimal(c.low/unit, decimals), decimal(c.high/unit, decimals)
		return fmt.Sprintf("%s%s (%s to %s%s)", s, times, low, high, times)
	case finiteOr0(c.half) > 0 && power != 0:
		return fmt.Sprintf("(%s ± %s)%s", s, decimal(c.half/unit, decimals), times)
	case finiteOr0(c.half) > 0:
		return s + " ± " + decimal(c.half, decimals)
	}
	return s + times
}

func finiteOr0(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

func superscript(n int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}
