package pengcde_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// neighbours is h_k = tanh(W (x_k, A_k x_k, h_{k-1})) of each node, k the observation, and a forecast V h.
type neighbours struct{ Hidden int }

func (n neighbours) layers(s sequence.Sizes) (step, out nn.Linear) {
	return nn.Linear{Name: "step", In: 2*s.Features + n.Hidden, Out: n.Hidden},
		nn.Linear{Name: "out", In: n.Hidden, Out: s.Outputs}
}

// Params declares the learned parameters.
func (n neighbours) Params(s sequence.Sizes) []nn.Param {
	step, out := n.layers(s)
	return append(step.Params(), out.Params()...)
}

// Forecast builds the forecasts [batch, times, n, outputs] of observations [batch, T, n, features].
func (n neighbours) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	step, out := n.layers(s)
	dims := in.Features.Shape().Dimensions
	h := BroadcastToDims(ScalarZero(in.Features.Graph(), in.Features.DType()), dims[0], dims[2], n.Hidden)
	var forecasts []*Node
	for k := range dims[1] {
		x := Squeeze(SliceAxis(in.Features, 1, AxisElem(k)), 1)
		h = Tanh(step.Apply(v, Concatenate([]*Node{x, in.Graph(k).Apply(x), h}, -1)))
		if s.PerTime || k == dims[1]-1 {
			forecasts = append(forecasts, out.Apply(v, h))
		}
	}
	return Stack(forecasts, 1)
}

// A network of one's own trains, forecasts, is saved and loads like a PENG-CDE.
func Example_ownNetwork() {
	backend, err := xla.Open(xla.Config{Backend: "go"}) // pure Go starts sooner than XLA for so small a model
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	series, err := pgt.EnglandCovid()
	if err != nil {
		log.Fatal(err)
	}
	split, err := series.Windows(5, 1).Chronological(0.6, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	own := neighbours{Hidden: 4}
	model, err := pengcde.New(backend, pengcde.Config{Nodes: 129, Features: 8, Network: own})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	report, err := model.Fit(context.Background(), split.Train, split.Validation, train.Config{Epochs: 3})
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(os.TempDir(), "neighbours.safetensors")
	defer os.Remove(file)
	if err := model.Save(file); err != nil {
		log.Fatal(err)
	}
	loaded, err := pengcde.Load(backend, file, own)
	if err != nil {
		log.Fatal(err)
	}
	defer loaded.Close()
	fmt.Println(len(report.Epochs), "epochs,", loaded.Parameters(), "parameters")
	// Output:
	// 3 epochs, 89 parameters
}
