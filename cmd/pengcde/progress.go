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

// newBar starts a bar on a terminal, where it is one line that changes, or in a file, such as the log of a cluster job,
// where it is a line now and then.
func newBar(title string, out *os.File) *progress.Bar {
	if !term.IsTerminal(int(out.Fd())) {
		return progress.New(title, func(s progress.State) { fmt.Fprintln(out, s) }, seldom, time.Now)
	}
	return progress.New(title, drawLine(out, func() int {
		width, _, err := term.GetSize(int(out.Fd()))
		if err != nil || width < 20 {
			return 80
		}
		return width
	}), progress.Live, time.Now)
}

// seldom is every minute, and when another quarter is done, at most every ten seconds.
func seldom(since time.Duration, fraction, latest float64) bool {
	return since >= time.Minute || since >= 10*time.Second && math.Floor(4*fraction) > math.Floor(4*max(latest, 0))
}

const (
	blocks    = 24
	clearLine = "\r\x1b[K"
)

// drawLine rewrites one line.
func drawLine(w io.Writer, width func() int) func(progress.State) {
	return func(s progress.State) {
		if s.Mark != "" {
			fmt.Fprintln(w, clearLine+s.String())
			return
		}
		line := s.Title
		if !math.IsNaN(s.Fraction) {
			full := int(s.Fraction*blocks + 0.5)
			line += " " + strings.Repeat("█", full) + strings.Repeat("░", blocks-full) + " " + s.Percent()
		}
		line = progress.Join(line, s.Text, s.Clock())
		if limit := width() - 1; utf8.RuneCountInString(line) > limit { // a line that wraps cannot be taken back
			line = string([]rune(line)[:limit-1]) + "…"
		}
		fmt.Fprint(w, clearLine+line)
	}
}
