package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

// Widths of a terminal in columns: text in files and pipes uses usualWidth, the width of narrow terminals.
const (
	usualWidth = 80
	leastWidth = 40
	mostWidth  = 160
)

// widthOf returns the number of columns of a terminal; $COLUMNS takes precedence.
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

// wrapped wraps one or more paragraphs into lines of at most width columns, each with a line break.
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
