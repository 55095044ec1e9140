package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// table holds numbers by column, one for each epoch; NaN is also a number that was not measured.
type table map[string][]float64

// columns of this library's tables. The test error is in the row of the epoch whose parameters were kept.
var columns = []string{"train", "gradient_norm", "validation", "test", "seconds"}

func tableOf(r *train.Report) table {
	t := make(table)
	for _, e := range r.Epochs {
		for i, v := range []float64{e.TrainLoss, e.LargestNorm, e.Validation, math.NaN(), e.Seconds} {
			t[columns[i]] = append(t[columns[i]], v)
		}
	}
	return t
}

func (t table) write(path string) error {
	lines := [][]string{append([]string{"epoch"}, columns...)}
	for i := range t[columns[0]] {
		line := []string{strconv.Itoa(i + 1)}
		for _, column := range columns {
			if v := t[column][i]; math.IsNaN(v) && column != "train" {
				line = append(line, "")
			} else {
				line = append(line, strconv.FormatFloat(v, 'g', 5, 64))
			}
		}
		lines = append(lines, line)
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return err
	}
	return durable.WriteFile(path, text.Bytes())
}

func readTable(path string) (table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	t := make(table)
	for _, line := range lines[1:] {
		for i, cell := range line {
			v := math.NaN()
			if cell != "" {
				if v, err = strconv.ParseFloat(cell, 64); err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
			}
			t[lines[0][i]] = append(t[lines[0][i]], v)
		}
	}
	return t, nil
}

// draw draws losses in training, and validations as dots, of the tables of one world.
func draw(title, world, path string) error {
	var series []figures.Series
	for _, of := range []struct {
		suffix, name string
		colour       figures.Colour
	}{{"", "published code", figures.Blue}, {"-ours", "ours, same field and start", figures.Vermillion},
		{"-recommended", "ours, recommended", figures.Green}} {
		t, err := readTable(world + of.suffix + ".csv")
		if err != nil {
			return err
		}
		style := figures.Style{Colour: of.colour}
		training := figures.Series{Name: of.name, Style: style, X: t["epoch"], Y: t["train"]}
		validation := figures.Series{Name: of.name + ", validation", Key: figures.NoKey, Points: true,
			Style: figures.Style{Colour: of.colour, Dash: figures.Dotted}}
		for i, v := range t["validation"] {
			if !math.IsNaN(v) {
				validation.X, validation.Y = append(validation.X, t["epoch"][i]), append(validation.Y, v)
			}
		}
		series = append(series, training)
		if len(validation.X) > 0 {
			series = append(series, validation)
		}
	}
	axes := figures.Axes{Title: title, X: "epoch", Y: "mean square error (dots: validation)", LogY: true}
	figure, err := figures.Lines(axes, series...)
	if err != nil {
		return err
	}
	return figure.Save(path)
}
