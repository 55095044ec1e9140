package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/peng-cde/pengcde-go/internal/progress"
)

// newBar starts a progress bar. On a terminal it is one line that changes; in a file, such as the log of a cluster
// job, it is a line from time to time.
func newBar(title string, out *os.File) *progress.Bar {
	if !term.IsTerminal(int(out.Fd())) {
		return progress.New(title, func(s progress.State) { fmt.Fprintln(out, s) }, seldom, time.Now)
	}
	bar := progress.New(title, drawLine(out, func() int { return widthOf(out) }), progress.Live, time.Now)
	go bar.Tick(time.Second) // while a program compiles
	return bar
}

// seldom reports whether to print a line: every minute, and at each completed quarter, but at most every ten seconds.
func seldom(since time.Duration, fraction, latest float64) bool {
	return since >= time.Minute || since >= 10*time.Second && math.Floor(4*fraction) > math.Floor(4*max(latest, 0))
}

const (
	blocks    = 16
	clearLine = "\r\x1b[K"
)

// drawLine rewrites one line: the completed fraction and the remaining time, else the elapsed time, followed by the
// part of the state's text that fits.
func drawLine(w io.Writer, width func() int) func(progress.State) {
	return func(s progress.State) {
		if s.Mark != "" {
			fmt.Fprintln(w, clearLine+s.String())
			return
		}
		line := s.Title
		if !math.IsNaN(s.Fraction) {
			full := int(s.Fraction*blocks + 0.5)
			line = strings.Repeat("█", full) + strings.Repeat("░", blocks-full) + " " + s.Percent()
		}
		clock := s.Clock()
		if _, left, known := strings.Cut(clock, ", "); known {
			clock = left
		}
		line = progress.Join(line, clock, s.Text)
		if limit := width() - 1; utf8.RuneCountInString(line) > limit { // a wrapped line cannot be overwritten
			line = string([]rune(line)[:limit-1]) + "…"
		}
		fmt.Fprint(w, clearLine+line)
	}
}
