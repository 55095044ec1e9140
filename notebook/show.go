package notebook

import (
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/figures"
)

// Show displays items below the running cell, in order, followed by their notes, each once and folded away. Outside a
// notebook it does nothing.
func Show(items ...figures.Item) error {
	if !gonbui.IsNotebook {
		return nil
	}
	parts, err := page(items)
	if err != nil {
		return err
	}
	for _, part := range parts {
		gonbui.DisplayHTML(part)
	}
	gonbui.Sync() // a cell is a process: output still in the pipe when it ends is lost
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("notebook: showing items: %w", err)
	}
	return nil
}

// Plot shows the item that a function returned, as Show does, and ends the cell as [Check] does if there is an error:
//
//	notebook.Plot(figures.HeatMap(axes, grid))
func Plot[T figures.Item](item T, err error) {
	Check(err)
	Check(Show(item))
}

// PlotAll is [Plot] for a function that returns several items.
func PlotAll(items []figures.Item, err error) {
	Check(err)
	Check(Show(items...))
}

// page returns the parts of a page: the items, followed by all notes.
func page(items []figures.Item) (parts []string, err error) {
	add := func(item figures.Item) error {
		html, err := item.HTML()
		if html != "" {
			parts = append(parts, html)
		}
		return err
	}
	for i, item := range items {
		if _, notes := item.(figures.NoteList); notes {
			continue
		}
		if err := add(item); err != nil {
			return nil, fmt.Errorf("notebook: item %d of %d: %w", i+1, len(items), err)
		}
	}
	return parts, add(figures.Notes(items...))
}
