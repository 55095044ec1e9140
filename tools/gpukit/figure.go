package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// figure draws the seconds of an epoch by nodes, of step epochs and of the paper's code. It returns nil without any.
func (r *Results) figure() (*figures.Figure, error) {
	var lines []figures.Series
	for _, f := range racedFields {
		line := figures.Series{Name: f.name, Points: true}
		for _, s := range r.Steps {
			for _, found := range s.Figures {
				var nodes float64
				if _, err := fmt.Sscanf(found.Name, f.name+", %g nodes", &nodes); s.Name == "epochs" && err == nil {
					line.X, line.Y = append(line.X, nodes), append(line.Y, found.Value)
				}
			}
		}
		if len(line.X) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	paper := figures.Series{Name: "the paper's code, H100 or H200", Points: true,
		Style: figures.Style{Dash: figures.Dashed}}
	for _, n := range sizes["gpu"].epochs {
		if value, printed := catalogue.Published("epoch", "peng", fmt.Sprint(n)); printed {
			paper.X, paper.Y = append(paper.X, float64(n)), append(paper.Y, value.Value)
		}
	}
	axes := figures.Axes{Title: "Training epoch, " + cmp.Or(r.Machine.Card, r.Machine.Processor), X: "nodes",
		Y: "seconds", LogX: true, LogY: true, Height: 300}
	return figures.Lines(axes, append(lines, paper)...)
}

// draw stores the figure as gpu-kit.svg beside the results, if there is one.
func (r *Results) draw() error {
	f, err := r.figure()
	if f == nil || err != nil {
		return err
	}
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return err
	}
	return f.Save(filepath.Join(r.folder, "gpu-kit.svg"))
}

// drawStored draws the figure of results in a file.
func drawStored(file, folder string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := &Results{folder: folder}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("%s: %w; want a gpu-kit.json", file, err)
	}
	if f, err := r.figure(); f == nil && err == nil {
		return fmt.Errorf("%s has no seconds of step epochs to draw: run gpukit -only epochs", file)
	}
	return r.draw()
}
