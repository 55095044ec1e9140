package figures

import (
	"math"
	"os"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"golang.org/x/term"
)

// Bar shows how far a long piece of work is. In a notebook it is one output that changes in place, in a terminal one
// line of standard error, elsewhere (a log, a cluster job) a line now and then. Done leaves one line in all of them.
// Its methods may be called from several goroutines.
type Bar struct {
	mu     sync.Mutex
	title  string
	out    barOutput
	now    func() time.Time
	start  time.Time
	shown  time.Time // when a state was shown last, or the start
	latest float64   // fraction shown last (0 if unknown), -1 if none was
	done   bool
}

// barState is what an output draws.
type barState struct {
	title, text string
	mark        string  // at the end
	fraction    float64 // NaN if unknown
	elapsed     time.Duration
}

// barOutput is a place to draw: notebookBar, terminalBar or logBar.
type barOutput interface {
	// due reports whether a state is worth drawing, some time after the one before it (or the start).
	due(since time.Duration, fraction, latest float64) bool
	show(s barState)
	finish(s barState)
}

// NewBar starts a bar, and its clock.
func NewBar(title string) *Bar {
	var out barOutput
	switch stderr := int(os.Stderr.Fd()); {
	case gonbui.IsNotebook:
		out = notebookBar{id: "bar_" + gonbui.UniqueId(), update: gonbui.UpdateHTML, flush: gonbui.Sync}
	case term.IsTerminal(stderr):
		out = terminalBar{w: os.Stderr, width: func() int {
			width, _, err := term.GetSize(stderr)
			if err != nil || width < 20 {
				return 80
			}
			return width
		}}
	default:
		out = logBar{w: os.Stderr}
	}
	return newBar(title, out, time.Now)
}

func newBar(title string, out barOutput, now func() time.Time) *Bar {
	start := now()
	return &Bar{title: title, out: out, now: now, start: start, shown: start, latest: -1}
}

// Update says how much is done, from 0 to 1 (NaN if unknown), and what is going on. It may be called at any rate: of
// calls that follow each other within a fifth of a second only the first is drawn, and the end.
func (b *Bar) Update(fraction float64, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fraction = math.Min(1, math.Max(0, fraction)) // NaN stays
	now := b.now()
	if b.done || !b.out.due(now.Sub(b.shown), fraction, b.latest) {
		return
	}
	b.shown, b.latest = now, finiteOr0(fraction)
	b.out.show(barState{title: b.title, text: text, fraction: fraction, elapsed: now.Sub(b.start)})
}

// Done replaces the bar by one line with the title, text and the time taken. Later calls do nothing.
func (b *Bar) Done(text string) { b.finish("✓", text) }

// Stop is Done for work that did not end well.
func (b *Bar) Stop(text string) { b.finish("✗", text) }

func (b *Bar) finish(mark, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return
	}
	b.done = true
	b.out.finish(barState{title: b.title, text: text, mark: mark, fraction: 1, elapsed: b.now().Sub(b.start)})
}
