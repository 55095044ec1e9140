package figures

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// elements parses a page and counts its elements by name.
func elements(t *testing.T, page string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for decoder := xml.NewDecoder(strings.NewReader(page)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("page does not parse: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			found[e.Name.Local]++
		}
	}
}

func TestSliderInputErrors(t *testing.T) {
	small := mustLines(t, Axes{})
	for _, c := range []struct {
		name   string
		frames []Frame
		says   string
	}{
		{"no frames", nil, "wanted one or more"},
		{"no figure", []Frame{{"a", small}, {"b", nil}}, `frame 1 ("b") has no figure`},
		{"other size", []Frame{{"a", small}, {"b", mustLines(t, Axes{Width: 300})}},
			`frame 1 ("b") is 300 by 260 points, the first is 640 by 260`},
	} {
		s, err := NewSlider(c.frames...)
		if s != nil || !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, wanted an ErrInput that says %q", c.name, s, err, c.says)
		}
	}
}

func TestEmptySlider(t *testing.T) {
	if _, err := (&Slider{}).HTML(); !errors.Is(err, ErrInput) {
		t.Errorf("got %v, wanted an ErrInput", err)
	}
}

func mustSlider(t *testing.T, frames ...Frame) *Slider {
	t.Helper()
	s, err := NewSlider(frames...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Thirty pictures of a grid take less than 1 MB, and need nothing from elsewhere.
func TestSliderHTML(t *testing.T) {
	var states [][]ImagePanel
	for i := range 30 {
		states = append(states, testState(20, 20, float64(i)/8))
	}
	limits := LimitsOf(states...)
	var frames []Frame
	for i, panels := range states {
		f, err := Images(Axes{Title: "States", Colour: "temperature"}, limits, panels)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, Frame{fmt.Sprintf("t = %d", i), f})
	}
	page, err := mustSlider(t, frames...).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 1_000_000 {
		t.Errorf("page of %d bytes", len(page))
	}
	found := elements(t, page)
	for name, want := range map[string]int{"img": 30, "script": 1, "input": 1, "output": 1} {
		if found[name] != want {
			t.Errorf("%d elements %q, wanted %d", found[name], name, want)
		}
	}
	for _, foreign := range []string{" id=", "src=\"http", "href=\"http"} {
		if strings.Contains(page, foreign) {
			t.Errorf("page holds %q", foreign)
		}
	}
}

// A slider opens at its middle frame, which also shows, with its name, where no script runs.
func TestSliderWithoutScript(t *testing.T) {
	f := mustLines(t, Axes{Title: `a "title" & more`})
	page, err := mustSlider(t, Frame{"first", f}, Frame{"middle", f}, Frame{`<last> "one"`, f}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`<img title="middle" alt="middle · a &#34;title&#34; &amp; more. 1 line `,
		`begins at 1, ends at 2 (1 to 3)." style="`,
		`<img title="first" alt="`,
		`<img title="&lt;last&gt; &#34;one&#34;" alt="`,
		`begins at 1, ends at 2 (1 to 3)." hidden="hidden" style="`,
		`tabular-nums">middle</output>`,
		`min="0" max="2" value="1" step="1" autocomplete="off" hidden="hidden"`,
		`aria-label="Frame · a &#34;title&#34; &amp; more"`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("page lacks %q", part)
		}
	}
	elements(t, page)
}
