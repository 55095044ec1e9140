package notebook

import (
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/internal/progress"
)

// clock is a clock that tests move by hand.
type clock struct{ at time.Time }

func newClock() *clock                { return &clock{time.Unix(1e9, 0)} }
func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func TestNotebookBar(t *testing.T) {
	var ids, pages []string
	flushed := 0
	c := newClock()
	b := progress.New("Test <1>", drawBar("x", func(id, html string) {
		ids, pages = append(ids, id), append(pages, html)
	}, func() { flushed++ }), progress.Live, c.now)
	for i := range 1000 { // 10 s at 100 calls a second
		b.Update(float64(i)/1000, "step & on")
		c.pass(10 * time.Millisecond)
	}
	if len(pages) != 50 {
		t.Errorf("%d drawings in 10 s, wanted 5 a second", len(pages))
	}
	if !strings.Contains(pages[25], "Test &lt;1&gt;") || !strings.Contains(pages[25], `value="0.5000"`) ||
		!strings.Contains(pages[25], "50% · step &amp; on · 5.0 s, about 5.0 s left") {
		t.Errorf("half-way: %s", pages[25])
	}
	b.Update(0.9991, "dropped")
	b.Update(0.9992, "dropped")
	b.Update(1, "end")
	b.Update(1, "dropped")
	if n := len(pages); !strings.Contains(pages[n-1], "100% · end") ||
		strings.Contains(strings.Join(pages, ""), "0.9992") {
		t.Errorf("the end is not drawn: %s", pages[n-1])
	}
	b.Done("1000 steps")
	n := len(pages)
	b.Done("again")
	b.Update(0.5, "late")
	if len(pages) != n || flushed != 1 {
		t.Errorf("%d drawings after Done, %d flushes", len(pages)-n, flushed)
	}
	if last := pages[n-1]; strings.Contains(last, "<progress") ||
		!strings.Contains(last, "✓ <b>Test &lt;1&gt;</b> · 1000 steps · 10 s") {
		t.Errorf("last line: %s", last)
	}
	for _, id := range ids {
		if id != "x" {
			t.Errorf("drawn in %q: a notebook would keep two outputs", id)
		}
	}
}
