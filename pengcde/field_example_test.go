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
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// diffusion is dz/dt = W A(t) z - z, with a matrix W that is learned.
type diffusion struct{ Hidden int }

func (f diffusion) mix() nn.Linear { return nn.Linear{Name: "field.mix", In: f.Hidden, Out: f.Hidden} }

// Params declares the learned parameters.
func (f diffusion) Params() []nn.Param { return f.mix().Params() }

// Derivative builds dz/dt of z [batch, n, hidden] at t [batch].
func (f diffusion) Derivative(v nn.Values, c *field.Control, t, z *Node) *Node {
	a, _, _ := c.At(t)
	return Sub(f.mix().Apply(v, a.Apply(z)), z)
}

// A vector field of one's own trains, forecasts, is saved and loads like the named ones.
func Example_ownField() {
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
	own := diffusion{Hidden: 4}
	model, err := pengcde.New(backend, pengcde.Config{Nodes: 129, Features: 8, Hidden: 4, Field: own,
		Input: pengcde.Input{GraphOnly: true}, Equation: pengcde.Equation{Step: 1}})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	report, err := model.Fit(context.Background(), split.Train, split.Validation, train.Config{Epochs: 3})
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(os.TempDir(), "diffusion.safetensors")
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
	// 3 epochs, 873 parameters
}
