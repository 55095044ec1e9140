package catalogue

import "testing"

// Texts stand below their headings, with paragraphs and without the lines of the file; one that is not there panics.
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
