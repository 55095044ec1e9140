// Package progress formats progress reports of long work for a notebook, a terminal or a log, and limits their rate.
package progress

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// State holds the drawn texts and numbers of a bar.
type State struct {
	Title, Text string
	Mark        string  // "✓" or "✗" at the end, else ""
	Fraction    float64 // NaN if unknown
	Elapsed     time.Duration
	Left        time.Duration // 0 if unknown
}

// Bar shows the progress of long work. Its methods may be called from several goroutines.
type Bar struct {
	mu      sync.Mutex
	title   string
	draw    func(State)
	due     Due
	now     func() time.Time
	start   time.Time
	shown   time.Time // when a state was drawn last, or the start
	latest  float64   // fraction drawn last (0 if unknown), -1 if none was
	stopped bool

	// What was heard last; ends is zero if unknown.
	text     string
	fraction float64
	ends     time.Time
}

// Due reports whether a state is worth drawing, some time after the one before it or the start. The fraction before it
// is -1 if none was drawn.
type Due func(since time.Duration, fraction, latest float64) bool

// Live draws the first state, then five a second, and the end.
func Live(since time.Duration, fraction, latest float64) bool {
	return since >= time.Second/5 || latest < 0 || fraction == 1 && latest < 1
}

// New starts a bar, and its clock; now is time.Now but in tests.
func New(title string, draw func(State), due Due, now func() time.Time) *Bar {
	start := now()
	return &Bar{title: title, draw: draw, due: due, now: now, start: start, shown: start, latest: -1}
}

// Update is [Bar.Show] for work at a constant rate: it computes the time left from the fraction done.
func (b *Bar) Update(fraction float64, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left time.Duration
	if fraction = math.Min(1, fraction); fraction > 0 { // not NaN
		left = time.Duration(float64(b.now().Sub(b.start)) * (1 - fraction) / fraction)
	}
	b.hear(fraction, left, text)
}

// Show sets the fraction that is done, from 0 to 1 (NaN if unknown), the time left (0 if unknown), and the text beside
// them. It may be called at any rate.
func (b *Bar) Show(fraction float64, left time.Duration, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hear(fraction, left, text)
}

func (b *Bar) hear(fraction float64, left time.Duration, text string) {
	b.text, b.fraction, b.ends = text, math.Max(0, math.Min(1, fraction)), time.Time{} // NaN stays
	if left > 0 {
		b.ends = b.now().Add(left)
	}
	b.redraw()
}

// Tick draws the bar at intervals until it has ended, so that its clock advances between updates.
func (b *Bar) Tick(every time.Duration) {
	for range time.Tick(every) {
		b.mu.Lock()
		if b.stopped {
			b.mu.Unlock()
			return
		}
		b.redraw()
		b.mu.Unlock()
	}
}

// redraw draws what was heard last, if that is due.
func (b *Bar) redraw() {
	now := b.now()
	if b.stopped || !b.due(now.Sub(b.shown), b.fraction, b.latest) {
		return
	}
	b.shown, b.latest = now, b.fraction
	if math.IsNaN(b.fraction) {
		b.latest = 0
	}
	s := State{Title: b.title, Text: b.text, Fraction: b.fraction, Elapsed: now.Sub(b.start)}
	if !b.ends.IsZero() {
		s.Left = max(0, b.ends.Sub(now))
	}
	b.draw(s)
}

// Done replaces the bar by one line with the title, text and the time taken. Later calls do nothing.
func (b *Bar) Done(text string) { b.finish("✓", text) }

// Stop is Done for work that failed or was interrupted.
func (b *Bar) Stop(text string) { b.finish("✗", text) }

func (b *Bar) finish(mark, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		b.stopped = true
		b.draw(State{Title: b.title, Text: text, Mark: mark, Fraction: 1, Elapsed: b.now().Sub(b.start)})
	}
}

// String is one line: "Training · 25% · epoch 5 · 25 s, about 1 min 15 s left", or "✓ Training · 20 epochs · 2 min".
func (s State) String() string {
	if s.Mark != "" {
		return s.Mark + " " + Join(s.Title, s.Text, s.Clock())
	}
	return Join(s.Title, s.Percent(), s.Text, s.Clock())
}

// Percent is the fraction, or "" if it is unknown.
func (s State) Percent() string {
	if math.IsNaN(s.Fraction) {
		return ""
	}
	return fmt.Sprintf("%d%%", int(100*s.Fraction))
}

// Clock is the time taken and, from three seconds on, the time that is left.
func (s State) Clock() string {
	taken := Duration(s.Elapsed)
	if s.Left > 0 && s.Elapsed > 3*time.Second {
		taken += ", about " + Duration(max(time.Second, s.Left.Round(time.Second))) + " left"
	}
	return taken
}

// Join adds parts that are not empty, with dots between them.
func Join(first string, parts ...string) string {
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
