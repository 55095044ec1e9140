package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// step is a part of the work.
type step struct {
	name string
	// share of the time for all steps, in hundredths. A step may also use what the steps before it left.
	share int
	does  func(context.Context, *child) error
}

// steps are in the order of their use: the first ones tell whether anything works.
func steps() []step {
	return []step{
		{"doctor", 3, examine},
		{"gradient", 4, compareGradients},
		{"golden", 16, runGolden},
		{"tests", 13, runTests},
		{"epochs", 24, timeEpochs},
		{"million", 13, largeGraphSteps},
		{"peer", 19, racePeer},
		{"parts", 8, timeParts},
	}
}

func stepNamed(name string) *step {
	for _, s := range steps() {
		if s.name == name {
			return &s
		}
	}
	return nil
}

func stepNames() string {
	var names []string
	for _, s := range steps() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// size of the work of the steps.
type size struct {
	epochs, peer    []int // numbers of nodes
	epochsTimed     int
	large           int // nodes of step million, with ten times as many edges
	model           int // nodes of the models whose programs step parts times
	products, field string
	calls           string // of a benchmark
	tests           string // of step tests, a pattern of names
}

var sizes = map[string]size{
	"gpu": {epochs: []int{128, 256, 512, 1024, 2048, 4096, 16384}, epochsTimed: 3, peer: []int{128, 512},
		large: 1e6, model: 400, products: "Product/n=(129|400|1000|2048)/", field: "Undirected/n=(400|2048)/", calls: "50x"},
	"cpu": {epochs: []int{128, 256, 512, 1024}, epochsTimed: 2, peer: []int{128}, large: 1e5, model: 100,
		products: "Product/n=(129|400)/", field: "Undirected/n=400/", calls: "10x"},
	"tiny": {epochs: []int{16}, epochsTimed: 1, peer: []int{16}, large: 1000, model: 16,
		products: "Product/n=64/edges=256/", field: "None", calls: "1x", tests: "^TestTsit5"},
}

// errSkip is wrapped by the error of a step that this machine cannot run.
var errSkip = errors.New("skipped")

func skip(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errSkip, fmt.Sprintf(format, args...))
}
