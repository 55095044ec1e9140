package notebook

import (
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/figures"
)

// Show displays items below the running cell, in order. Outside a notebook it does nothing.
func Show(items ...figures.Item) error {
	if !gonbui.IsNotebook {
		return nil
	}
	for i, item := range items {
		html, err := item.HTML()
		if err != nil {
			return fmt.Errorf("notebook: item %d of %d: %w", i+1, len(items), err)
		}
		gonbui.DisplayHTML(html)
	}
	gonbui.Sync() // a cell is a process: what is still in the pipe when it ends is lost
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("notebook: showing items: %w", err)
	}
	return nil
}
