package bench

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde"
)

// Files of a case's folder.
const (
	documentFile   = "case.json"
	dataFile       = "data.safetensors"
	parametersFile = "parameters.safetensors"
	gradientFile   = "gradient.safetensors"
)

// document is case.json.
type document struct {
	Field        string  `json:"field"`
	Layers       int     `json:"layers"`
	Parity       bool    `json:"parity"`
	DType        string  `json:"dtype"`
	RTol         float64 `json:"rtol"`
	ATol         float64 `json:"atol"`
	First        float64 `json:"first_step"`
	LearningRate float64 `json:"learning_rate"`
	WeightDecay  float64 `json:"weight_decay"`
	Clip         float64 `json:"clip"`
	// Ends of given steps and times that adaptive steps end on, for each sample.
	Ends  [][]float64 `json:"ends"`
	Stops [][]float64 `json:"stops"`
}

// Export writes the case into a folder for the peer, with a model's parameters and the steps that were accepted on them,
// see [Case.Steps]. Control matrices are written by their edges.
func (c *Case) Export(folder string, model *pengcde.Model, steps Steps) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	// The tolerances, first step, decay and norm are what the zero values of ode.PID and train.AdamW mean.
	d := document{Field: c.Field, Layers: layers, Parity: c.Published, DType: "float32", RTol: 1e-3, ATol: 1e-6, First: 0.01,
		LearningRate: c.Train.AdamW.LearningRate, WeightDecay: 1e-4, Clip: 1, Ends: steps.Ends}
	dtype := "F32"
	if c.Float64 {
		d.DType, dtype = "float64", "F64"
	}
	samples, err := c.samples()
	if err != nil {
		return err
	}
	var arrays []safetensors.Tensor
	for b, s := range samples {
		d.Stops = append(d.Stops, c.stops(s))
		name := func(what string) string { return fmt.Sprintf("%d.%s", b, what) }
		arrays = append(arrays, integers(name("from"), s.Pattern.From), integers(name("to"), s.Pattern.To), integers(name("index"), s.Index))
		for _, a := range []struct {
			what, dtype string
			rows        [][]float64
		}{{"snapshots", dtype, s.Snapshots}, {"targets", dtype, c.Series[b].Targets}} {
			array, err := safetensors.FromFloats(name(a.what), a.dtype, []int{len(a.rows), len(a.rows[0])}, slices.Concat(a.rows...))
			if err != nil {
				return fmt.Errorf("bench: %w", err)
			}
			arrays = append(arrays, array)
		}
		for _, a := range []struct {
			what, dtype string
			row         []float64
		}{{"times", "F64", s.Knots}, {"start", dtype, c.Series[b].Features[0]}} {
			array, err := safetensors.FromFloats(name(a.what), a.dtype, []int{len(a.row)}, a.row)
			if err != nil {
				return fmt.Errorf("bench: %w", err)
			}
			arrays = append(arrays, array)
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, documentFile), text, 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := safetensors.Write(filepath.Join(folder, dataFile), nil, arrays); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return model.Save(filepath.Join(folder, parametersFile))
}

func integers[T int | int32](name string, values []T) safetensors.Tensor {
	t := safetensors.Tensor{Name: name, DType: "I32", Shape: []int{len(values)}}
	for _, v := range values {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, uint32(v))
	}
	return t
}

// readFloats reads the arrays of a file.
func readFloats(path string) (map[string][]float64, error) {
	file, err := safetensors.Read(path)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	arrays := map[string][]float64{}
	for _, t := range file.Tensors {
		if arrays[t.Name], err = t.Floats(); err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
	}
	return arrays, nil
}
