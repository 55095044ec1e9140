package figures

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a time that tests move by hand.
type clock struct{ at time.Time }

func newClock() *clock                  { return &clock{time.Unix(1e9, 0)} }
func (c *clock) now() time.Time         { return c.at }
func (c *clock) pass(d time.Duration)   { c.at = c.at.Add(d) }
func fixedWidth(columns int) func() int { return func() int { return columns } }

func TestNotebookBar(t *testing.T) {
	var ids, pages []string
	flushed := 0
	c := newClock()
	b := newBar("Test <1>", notebookBar{id: "x", update: func(id, html string) {
		ids, pages = append(ids, id), append(pages, html)
	}, flush: func() { flushed++ }}, c.now)
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
	if n := len(pages); !strings.Contains(pages[n-1], "100% · end") || strings.Contains(strings.Join(pages, ""), "0.9992") {
		t.Errorf("the end is not drawn: %s", pages[n-1])
	}
	b.Done("1000 steps")
	n := len(pages)
	b.Done("again")
	b.Update(0.5, "late")
	if len(pages) != n || flushed != 1 {
		t.Errorf("%d drawings after Done, %d flushes", len(pages)-n, flushed)
	}
	if last := pages[n-1]; strings.Contains(last, "<progress") || !strings.Contains(last, "✓ <b>Test &lt;1&gt;</b> · 1000 steps · 10 s") {
		t.Errorf("last line: %s", last)
	}
	for _, id := range ids {
		if id != "x" {
			t.Errorf("drawn in %q: a notebook would keep two outputs", id)
		}
	}
}

func TestTerminalBar(t *testing.T) {
	var w bytes.Buffer
	c := newClock()
	b := newBar("Test", terminalBar{w: &w, width: fixedWidth(60)}, c.now)
	b.Update(0.5, strings.Repeat("long text ", 10))
	c.pass(time.Second)
	b.Update(math.NaN(), "unknown")
	b.Update(math.NaN(), "dropped")
	b.Done("3 things")
	lines := strings.Split(w.String(), clearLine)
	if len(lines) != 4 || strings.Count(w.String(), "\n") != 1 {
		t.Fatalf("wrote %q", w.String())
	}
	if n := len([]rune(lines[1])); n > 59 || !strings.Contains(lines[1], "████████████░░░░░░░░░░░░ 50%") {
		t.Errorf("%d runes: %q", n, lines[1])
	}
	if lines[2] != "Test · unknown · 1.0 s" || lines[3] != "✓ Test · 3 things · 1.0 s\n" {
		t.Errorf("wrote %q", lines[2:])
	}
}

func TestLogBar(t *testing.T) {
	var w bytes.Buffer
	c := newClock()
	b := newBar("Test", logBar{w: &w}, c.now)
	for i := range 1000 { // 100 s
		b.Update(float64(i)/1000, fmt.Sprintf("step %d", i))
		c.pass(100 * time.Millisecond)
	}
	b.Done("")
	want := "Test · 25% · step 250 · 25 s, about 1 min 15 s left\n" +
		"Test · 50% · step 500 · 50 s, about 50 s left\n" +
		"Test · 75% · step 750 · 1 min 15 s, about 25 s left\n" +
		"✓ Test · 1 min 40 s\n"
	if w.String() != want {
		t.Errorf("wrote\n%swanted\n%s", &w, want)
	}
	w.Reset()
	quick := newBar("Quick", logBar{w: &w}, c.now)
	for i := range 100 {
		quick.Update(float64(i)/100, "")
		c.pass(time.Millisecond)
	}
	quick.Done("done")
	if w.String() != "✓ Quick · done · 0.1 s\n" {
		t.Errorf("quick work wrote %q", w.String())
	}
	w.Reset()
	slow := newBar("Slow", logBar{w: &w}, c.now)
	for range 5 {
		c.pass(30 * time.Second)
		slow.Update(0.01, "on")
	}
	slow.Stop("cut off")
	if lines := strings.Split(w.String(), "\n"); len(lines) != 4 || lines[2] != "✗ Slow · cut off · 2 min 30 s" {
		t.Errorf("slow work wrote %q, want a line every minute and that it stopped", w.String())
	}
}

func TestBarFromGoroutines(t *testing.T) {
	var w bytes.Buffer
	b := newBar("Test", terminalBar{w: &w, width: fixedWidth(80)}, time.Now)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 100 {
				b.Update(float64(i)/100, fmt.Sprint(g))
			}
		})
	}
	group.Wait()
	b.Done("all")
	b.Done("all")
	if strings.Count(w.String(), "✓") != 1 {
		t.Errorf("wrote %q", w.String())
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                            "0.0 s",
		1234 * time.Millisecond:      "1.2 s",
		9960 * time.Millisecond:      "10 s",
		59600 * time.Millisecond:     "1 min 00 s",
		185 * time.Second:            "3 min 05 s",
		2*time.Hour + 65*time.Second: "2 h 01 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, wanted %q", d, got, want)
		}
	}
}
