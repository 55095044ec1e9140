package options_test

import (
	"testing"

	"github.com/peng-cde/pengcde-go/internal/options"
)

type shape struct {
	Width  int
	hidden int
}

// Options are set on a copy, of a value and of what a pointer points at; fields that are not stored stay.
func TestWith(t *testing.T) {
	text, err := options.Text(shape{Width: 3, hidden: 1})
	if err != nil || text != `{"Width":3}` {
		t.Fatalf("text is %s, %v", text, err)
	}
	value := shape{Width: 1, hidden: 2}
	if got, err := options.With(value, text); err != nil || got != (shape{3, 2}) {
		t.Errorf("got %v, %v, want {3 2}", got, err)
	}
	got, err := options.With(&value, text)
	if made, ok := got.(*shape); err != nil || !ok || *made != (shape{3, 2}) || value.Width != 1 {
		t.Errorf("got %v, %v of %v, want a pointer to {3 2}, and {1 2} unchanged", got, err, value)
	}
	if got, err := options.With(value, ""); err != nil || got != value {
		t.Errorf("without options got %v, %v, want %v", got, err, value)
	}
	if _, err := options.With(value, `{"Width":"wide"}`); err == nil {
		t.Error("a width that is a text: no error")
	}
}
