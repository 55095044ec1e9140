package catalogue

import "testing"

// Text returns the paragraphs below a heading without the file's line breaks, and panics for an unknown heading.
func TestProse(t *testing.T) {
	p := NewProse("## a\n\nOne\nline.\n\nAnother.\n\n## b c\n\nText.\n")
	if got := p.Text("a"); got != "One line.\n\nAnother." || p.Text("b c") != "Text." || len(p) != 2 {
		t.Errorf("%q", p)
	}
	defer func() {
		if recover() == nil {
			t.Error("a heading that is not there gives a text")
		}
	}()
	p.Text("d")
}
