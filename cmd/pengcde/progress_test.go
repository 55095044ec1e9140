package main

import (
	"bytes"
	"fmt"
	"math"
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

func TestTerminalBar(t *testing.T) {
	var w bytes.Buffer
	c := newClock()
	b := progress.New("Test", drawLine(&w, func() int { return 60 }), progress.Live, c.now)
	b.Update(0.5, strings.Repeat("long text ", 10))
	c.pass(time.Second)
	b.Update(math.NaN(), "unknown")
	b.Update(math.NaN(), "dropped")
	b.Done("3 things")
	lines := strings.Split(w.String(), clearLine)
	if len(lines) != 4 || strings.Count(w.String(), "\n") != 1 {
		t.Fatalf("wrote %q", w.String())
	}
	if n := len([]rune(lines[1])); n > 59 || !strings.HasPrefix(lines[1], "████████░░░░░░░░ 50% · 0.0 s · long text ") {
		t.Errorf("%d runes: %q", n, lines[1])
	}
	if lines[2] != "Test · 1.0 s · unknown" || lines[3] != "✓ Test · 3 things · 1.0 s\n" {
		t.Errorf("wrote %q", lines[2:])
	}
}

func TestLogBar(t *testing.T) {
	var w bytes.Buffer
	logged := func(s progress.State) { fmt.Fprintln(&w, s) }
	c := newClock()
	b := progress.New("Test", logged, seldom, c.now)
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
	quick := progress.New("Quick", logged, seldom, c.now)
	for i := range 100 {
		quick.Update(float64(i)/100, "")
		c.pass(time.Millisecond)
	}
	quick.Done("done")
	if w.String() != "✓ Quick · done · 0.1 s\n" {
		t.Errorf("quick work wrote %q", w.String())
	}
	w.Reset()
	slow := progress.New("Slow", logged, seldom, c.now)
	for range 5 {
		c.pass(30 * time.Second)
		slow.Update(0.01, "on")
	}
	slow.Stop("cut off")
	if lines := strings.Split(w.String(), "\n"); len(lines) != 4 || lines[2] != "✗ Slow · cut off · 2 min 30 s" {
		t.Errorf("slow work wrote %q, want a line every minute and that it stopped", w.String())
	}
}
