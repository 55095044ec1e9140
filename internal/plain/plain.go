// Package plain lays text out in the columns of a terminal.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Columns returns the number of terminal columns of a text.
func Columns(s string) (n int) {
	for _, r := range s {
		n += columnsOfRune(r)
	}
	return n
}

func columnsOfRune(r rune) int {
	switch kind := width.LookupRune(r).Kind(); {
	case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
		return 2
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc):
		return 0
	}
	return 1
}

// Padded returns a text padded with spaces.
func Padded(s string, columns int, left bool) string {
	spaces := strings.Repeat(" ", max(0, columns-Columns(s)))
	if left {
		return s + spaces
	}
	return spaces + s
}

// Wrap breaks a text at spaces into lines of at most the given number of columns; a word longer than a line is broken
// too. It returns at least one line.
func Wrap(s string, columns int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(s) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case Columns(*last)+1+Columns(word) <= columns:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
		for Columns(lines[len(lines)-1]) > columns {
			line := lines[len(lines)-1]
			cut := prefix(line, columns)
			lines[len(lines)-1] = line[:cut]
			lines = append(lines, line[cut:])
		}
	}
	return lines
}

// prefix returns the length in bytes of the longest prefix that fits into the columns, at least one rune.
func prefix(s string, columns int) int {
	n := 0
	for i, r := range s {
		if n += columnsOfRune(r); n > columns && i > 0 {
			return i
		}
	}
	return len(s)
}

// Count returns a number with a noun, "1 node" or "2 nodes".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Capital returns a text that begins with a capital.
func Capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
