package figures

import (
	"bytes"
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
)

// Item is what Show shows: a *Figure, a *Table or a *Slider.
type Item interface {
	// showHTML returns HTML for an output cell of a notebook.
	showHTML() (string, error)
}

func (f *Figure) showHTML() (string, error) {
	svg, err := f.SVG()
	if err != nil {
		return "", err
	}
	if start := bytes.Index(svg, []byte("<svg")); start > 0 {
		svg = svg[start:] // an XML declaration has no place inside a page
	}
	svg = bytes.Replace(svg, []byte("<svg "), []byte(`<svg style="max-width:100%;height:auto" `), 1) // shrinks with the page
	return "<div>" + string(svg) + "</div>", nil
}

func (t *Table) showHTML() (string, error) { return t.HTML() }

// Show displays items below the running notebook cell, in order. Outside a notebook it does nothing.
func Show(items ...Item) error {
	if !gonbui.IsNotebook {
		return nil
	}
	for i, item := range items {
		html, err := item.showHTML()
		if err != nil {
			return fmt.Errorf("figures: item %d of %d: %w", i+1, len(items), err)
		}
		gonbui.DisplayHTML(html)
	}
	gonbui.Sync() // a cell is a process: what is still in the pipe when it ends is lost
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("figures: showing in the notebook: %w", err)
	}
	return nil
}
