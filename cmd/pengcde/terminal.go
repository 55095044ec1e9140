package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

// Columns of a terminal: texts in files and pipes take usualWidth, which narrow terminals have.
const (
	usualWidth = 80
	leastWidth = 40
	mostWidth  = 160
)

// widthOf is the number of columns of a terminal; $COLUMNS goes before.
func widthOf(out *os.File) int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		width, _, err = term.GetSize(int(out.Fd()))
	}
	if err != nil || width <= 0 {
		return usualWidth
	}
	return min(max(width, leastWidth), mostWidth)
}

// wrapped is a text of one or more paragraphs in lines of at most so many columns, each with its end.
func wrapped(text string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.Join(plain.Wrap(paragraph, min(width, usualWidth)), "\n") + "\n")
	}
	return b.String()
}
