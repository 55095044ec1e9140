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
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// quantile forecasts a quantile of each node's targets, such as one that they exceed one time in ten, by the pinball
// loss. All but the loss is as for the forecast of a mean.
type quantile struct {
	head.Nodes
	Share float64 // of targets below the forecast
}

// Sized takes the sizes of the model.
func (q quantile) Sized(s head.Sizes) (head.Head, error) {
	nodes, err := q.Nodes.Sized(s)
	if err != nil {
		return nil, err
	}
	q.Nodes = nodes.(head.Nodes)
	return q, nil
}

// Loss compares forecasts y [B, S, n, q] with targets.
func (q quantile) Loss(v nn.Values, y *Node, in head.Inputs) (loss, penalty *Node) {
	above := Sub(in[head.Targets], y)
	each := Max(MulScalar(above, q.Share), MulScalar(above, q.Share-1))
	return head.Mean(v.Seeds, head.MeanRows(each, in), in[head.Weights]), nil
}

// A head of one's own trains, forecasts, is saved and loads like the others.
func Example_ownHead() {
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
	own := quantile{Share: 0.9}
	model, err := pengcde.New(backend, pengcde.Config{Nodes: 129, Features: 8, Hidden: 2, Layers: 1, Head: own,
		Equation: pengcde.Equation{Step: 1}})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	report, err := model.Fit(context.Background(), split.Train, split.Validation, train.Config{Epochs: 2})
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(os.TempDir(), "quantile.safetensors")
	defer os.Remove(file)
	if err := model.Save(file); err != nil {
		log.Fatal(err)
	}
	loaded, err := pengcde.Load(backend, file, quantile{}) // a value of the type; its options are in the file
	if err != nil {
		log.Fatal(err)
	}
	defer loaded.Close()
	fmt.Println(len(report.Epochs), "epochs,", loaded.Config().Head.(quantile).Share)
	// Output:
	// 2 epochs, 0.9
}
