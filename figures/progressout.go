package figures

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// liveEvery and logEvery are the least times between two drawings.
const (
	liveEvery = 200 * time.Millisecond
	logEvery  = 10 * time.Second
)

// liveDue draws the first state, then five a second, and the end.
func liveDue(since time.Duration, fraction, latest float64) bool {
	return since >= liveEvery || latest < 0 || fraction == 1 && latest < 1
}

// notebookBar rewrites one output of a cell.
type notebookBar struct {
	id     string
	update func(id, html string)
	flush  func()
}

func (notebookBar) due(since time.Duration, fraction, latest float64) bool {
	return liveDue(since, fraction, latest)
}

const barStyle = `<div style="font-size:13px;font-variant-numeric:tabular-nums">`

func (n notebookBar) show(s barState) {
	progress := `<progress max="1" style="width:16em;vertical-align:middle"></progress>`
	if !math.IsNaN(s.fraction) {
		progress = fmt.Sprintf(`<progress max="1" value="%.4f" style="width:16em;vertical-align:middle"></progress> %s`, s.fraction, percent(s.fraction))
	}
	n.update(n.id, barStyle+"<b>"+html.EscapeString(s.title)+"</b> "+progress+html.EscapeString(joined("", s.text, s.clock()))+"</div>")
}

func (n notebookBar) finish(s barState) {
	n.update(n.id, barStyle+s.mark+" <b>"+html.EscapeString(s.title)+"</b>"+html.EscapeString(joined("", s.text, Duration(s.elapsed)))+"</div>")
	n.flush() // a cell is a process: what is still in the pipe when it ends is lost
}

// terminalBar rewrites one line.
type terminalBar struct {
	w     io.Writer
	width func() int
}

func (terminalBar) due(since time.Duration, fraction, latest float64) bool {
	return liveDue(since, fraction, latest)
}

const (
	blocks    = 24
	clearLine = "\r\x1b[K"
)

func (t terminalBar) show(s barState) {
	line := s.title
	if !math.IsNaN(s.fraction) {
		full := int(s.fraction*blocks + 0.5)
		line += " " + strings.Repeat("█", full) + strings.Repeat("░", blocks-full) + " " + percent(s.fraction)
	}
	line = joined(line, s.text, s.clock())
	if limit := t.width() - 1; utf8.RuneCountInString(line) > limit { // a line that wraps cannot be taken back
		line = string([]rune(line)[:limit-1]) + "…"
	}
	fmt.Fprint(t.w, clearLine+line)
}

func (t terminalBar) finish(s barState) {
	fmt.Fprintln(t.w, clearLine+s.mark+" "+joined(s.title, s.text, Duration(s.elapsed)))
}

// logBar writes a line every minute, and when another quarter is done, at most every ten seconds.
type logBar struct{ w io.Writer }

func (logBar) due(since time.Duration, fraction, latest float64) bool {
	return since >= 6*logEvery || since >= logEvery && math.Floor(4*fraction) > math.Floor(4*max(latest, 0))
}

func (l logBar) show(s barState) {
	done := ""
	if !math.IsNaN(s.fraction) {
		done = percent(s.fraction)
	}
	fmt.Fprintln(l.w, joined(s.title, done, s.text, s.clock()))
}

func (l logBar) finish(s barState) {
	fmt.Fprintln(l.w, s.mark+" "+joined(s.title, s.text, Duration(s.elapsed)))
}

func percent(fraction float64) string { return fmt.Sprintf("%d%%", int(100*fraction)) }

// clock is the time taken and, from a tenth of the work and three seconds on, the time that is left at this rate.
func (s barState) clock() string {
	taken := Duration(s.elapsed)
	if s.fraction >= 0.1 && s.fraction < 1 && s.elapsed > 3*time.Second {
		rest := time.Duration(float64(s.elapsed) * (1 - s.fraction) / s.fraction)
		taken += ", about " + Duration(rest) + " left"
	}
	return taken
}

// joined adds parts that are not empty, with dots between them.
func joined(first string, parts ...string) string {
	for _, p := range parts {
		if p != "" {
			first += " · " + p
		}
	}
	return first
}

// Duration writes a time for people: "12.3 s", "3 min 05 s", "2 h 10 min".
func Duration(d time.Duration) string {
	switch s := int(math.Round(d.Seconds())); {
	case d.Seconds() < 9.95:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
	}
}
