package pengcde_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// A layer between GoMLX's own layers, trained by GoMLX's loop. Each node of a chain has a number, and its edge to the
// next opens or closes in time: the target is the number of the node ahead where the edge has opened, 0 where it has
// closed.
func ExampleLayer_trainer() {
	backend, err := xla.Open(xla.Config{Backend: "go"}) // pure Go starts sooner than XLA for so small a model
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()

	const nodes, batch = 4, 32
	pattern, _, err := dyngraph.NewPattern(nodes, []int{0, 1, 2}, []int{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var samples []field.Sample
	var x, y []float32
	for b := range batch {
		before, after := make([]float64, nodes-1), make([]float64, nodes-1)
		for range nodes {
			x, y = append(x, float32(random.NormFloat64())), append(y, 0)
		}
		for e := range after {
			after[e] = float64(random.IntN(2))
			before[e] = 1 - after[e]
			y[b*nodes+e] = float32(after[e]) * x[b*nodes+e+1]
		}
		samples = append(samples, field.Sample{Knots: []float64{0, 1}, Pattern: pattern, Snapshots: [][]float64{before,
			after}})
	}
	control, form, err := field.NewControl(dtypes.Float32, equivariant.Dense, samples)
	if err != nil {
		log.Fatal(err)
	}

	// The control is an input like any other. A data set of many batches has the control of each among its inputs.
	forecast := func(scope *model.Scope, inputs []*Node) *Node {
		x, control := inputs[0], inputs[1:]
		z0 := fnn.New(scope.In("encoder"), x, 8).Done()                                          // [batch, nodes, 8]
		z1 := pengcde.Layer(scope, z0, form, control, 0, 1).Method(ode.Midpoint).Steps(2).Done() // [batch, nodes, 8]
		return fnn.New(scope.In("readout"), z1, 1).Done()                                        // [batch, nodes, 1]
	}
	inputs := append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(x, batch, nodes, 1)}, control...)
	labels := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, batch, nodes, 1)}
	data := dataset.Const(train.Batch{Inputs: inputs, Labels: labels}) // the same batch in every step

	store := model.NewStore()
	defer store.Finalize()
	if err := store.SetRNGStateFromSeed(1); err != nil {
		log.Fatal(err)
	}
	store.RootScope().SetParam(pengcde.ParamLayerDepth, 1)
	adam := optimizer.Adam().LearningRate(0.03).Done()
	trainer := train.NewTrainer(backend.Compute, store, forecast, loss.MeanSquaredError, adam, nil, nil)
	loop := train.NewLoop(trainer)
	var losses []float32
	loop.OnStep("losses", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error {
		losses = append(losses, tensors.ToScalar[float32](metrics[0]))
		return nil
	})
	if _, err := loop.RunSteps(data, 100); err != nil {
		log.Fatal(err)
	}
	fmt.Println("loss above 1 at first:", losses[0] > 1)
	fmt.Println("below 0.1 after 100 steps:", losses[len(losses)-1] < 0.1)
	// Output:
	// loss above 1 at first: true
	// below 0.1 after 100 steps: true
}
