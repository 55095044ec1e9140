package pengcde_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// rumour is what five people on a line know of a rumour at eight times of its own, and as its class whether it spreads
// or is forgotten. Half of the way a link is cut.
func rumour(class int, random *rand.Rand) dyngraph.Window {
	const people = 5
	pattern, _, err := dyngraph.NewPattern(people, []int{0, 1, 2, 3, 1, 2, 3, 4}, []int{1, 2, 3, 4, 0, 1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	s := &dyngraph.Series{Name: "rumour", Pattern: pattern, FeatureSize: 1, TargetSize: 1}
	known, rate := make([]float64, people), []float64{-1, 1}[class]
	for u := range known {
		known[u] = random.Float64()
	}
	for k := range 8 {
		weights, label := []float64{1, 1, 1, 1, 1, 1, 1, 1}, math.NaN()
		if k >= 4 {
			weights[0], weights[4] = 0, 0
		}
		if k == 7 {
			label = float64(class)
		}
		s.Times = append(s.Times, float64(k)/8+0.1*random.Float64())
		s.Weights, s.GraphTargets = append(s.Weights, weights), append(s.GraphTargets, []float64{label})
		row := make([]float64, people)
		for u, x := range known {
			row[u] = x * math.Exp(rate*(s.Times[k]-s.Times[0]))
		}
		s.Features = append(s.Features, row)
	}
	return s.Whole()
}

// Say which class a changing graph is of: logits of the graph, trained by cross-entropy.
func Example_classes() {
	backend, err := xla.Open(xla.Config{Backend: "go"}) // pure Go starts sooner than XLA for so small a model
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	random := rand.New(rand.NewPCG(1, 1))
	rumours := func(count int) (windows []dyngraph.Window, classes []int) {
		for i := range count {
			windows, classes = append(windows, rumour(i%2, random)), append(classes, i%2)
		}
		return windows, classes
	}
	training, _ := rumours(12)
	validation, _ := rumours(6)
	tested, classes := rumours(20)

	model, err := pengcde.New(backend, pengcde.Config{Nodes: 5, Features: 1, Head: head.Class{}, Outputs: 2,
		Hidden: 4, Layers: 1, Equation: pengcde.Equation{Step: 0.25}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	ctx := context.Background()
	if _, err := model.Fit(ctx, training, validation, train.Config{Epochs: 15, BatchSize: 12, EvaluateEvery: 1,
		AdamW: train.AdamW{LearningRate: 0.05}}); err != nil {
		log.Fatal(err)
	}
	forecasts, err := model.PredictAll(ctx, tested, nil)
	if err != nil {
		log.Fatal(err)
	}
	var logits [][]float64
	for _, forecast := range forecasts {
		logits = append(logits, forecast.Values) // one for each class
	}
	accuracy, err := train.Accuracy(logits, classes)
	fmt.Println("accuracy", accuracy, err)
	// Output:
	// accuracy 1 <nil>
}
