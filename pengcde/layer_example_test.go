package pengcde_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// A layer in a GoMLX model, trained by GoMLX's optimiser: what the nodes of a ring hand on to their neighbours
// while the ring turns round.
func ExampleLayer() {
	backend, err := xla.Open(xla.Config{Backend: "go"}) // pure Go starts sooner than XLA for so small a model
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()

	// Each node u hands on to u+1 first, and to u-1 at the end.
	const nodes, batch = 6, 16
	var from, to []int
	var early, late []float64
	for u := range nodes {
		from, to = append(from, u, u), append(to, (u+1)%nodes, (u+nodes-1)%nodes)
	}
	pattern, _, err := dyngraph.NewPattern(nodes, from, to)
	if err != nil {
		log.Fatal(err)
	}
	for e := range pattern.Edges() {
		forward := 0.0
		if int(pattern.To[e]) == (int(pattern.From[e])+1)%nodes {
			forward = 1
		}
		early, late = append(early, forward), append(late, 1-forward)
	}
	var samples []field.Sample
	var x, y []float32
	for range batch {
		samples = append(samples, field.Sample{Knots: []float64{0, 1}, Pattern: pattern, Snapshots: [][]float64{early, late}})
		row := make([]float32, nodes)
		for u := range row {
			row[u] = float32(rand.New(rand.NewPCG(uint64(len(x)), uint64(u))).NormFloat64())
		}
		for u := range row {
			x = append(x, row[u])
			y = append(y, (row[(u+1)%nodes]+row[(u+nodes-1)%nodes])/2)
		}
	}
	control, form, err := field.NewControl(dtypes.Float32, equivariant.Dense, samples)
	if err != nil {
		log.Fatal(err)
	}

	// The ring's input is the first of 4 channels, and its output too.
	store := model.NewStore()
	defer store.Finalize()
	store.RootScope().SetParam(pengcde.ParamLayerDepth, 1)
	adam := optimizer.Adam().LearningRate(0.05).Done()
	step, err := model.NewExec(backend.Compute, store, func(scope *model.Scope, inputs []*Node) *Node {
		x, y, control := inputs[0], inputs[1], inputs[2:]
		z0 := Pad(x, ScalarZero(x.Graph(), x.DType()), PadAxis{}, PadAxis{}, PadAxis{End: 3})    // [batch, nodes, 4]
		z1 := pengcde.Layer(scope, z0, form, control, 0, 1).Method(ode.Midpoint).Steps(2).Done() // [batch, nodes, 4]
		forecast := Slice(z1, AxisRange(), AxisRange(), AxisElem(0))                             // [batch, nodes, 1]
		mean := loss.MeanSquaredError([]*Node{y}, []*Node{forecast})
		adam.UpdateGraph(scope, x.Graph(), mean)
		return mean
	})
	if err != nil {
		log.Fatal(err)
	}
	defer step.Finalize()
	inputs := []any{tensors.FromFlatDataAndDimensions(x, batch, nodes, 1), tensors.FromFlatDataAndDimensions(y, batch,
		nodes, 1)}
	for _, c := range control {
		inputs = append(inputs, c)
	}
	var first, last float32
	for k := range 120 {
		out, err := step.Call1(inputs...)
		if err != nil {
			log.Fatal(err)
		}
		last = tensors.ToScalar[float32](out)
		xla.Free(out)
		if k == 0 {
			first = last
		}
	}
	fmt.Println("loss above 1 at first:", first > 1)
	fmt.Println("below 0.2 after 120 steps:", last < 0.2)
	// Output:
	// loss above 1 at first: true
	// below 0.2 after 120 steps: true
}
