package safetensors_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/internal/safetensors"
)

func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.safetensors")

	weight, err := safetensors.FromFloats("linear/weight", "F32", []int{2, 2}, []float64{1, 0.5, -2, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := safetensors.Write(path, map[string]string{"epoch": "7"}, []safetensors.Tensor{weight}); err != nil {
		fmt.Println(err)
		return
	}

	file, err := safetensors.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	weight, _ = file.Tensor("linear/weight")
	values, err := weight.Floats()
	fmt.Println(file.Metadata["epoch"], weight.DType, weight.Shape, values, err)

	if err := os.Truncate(path, 100); err != nil {
		fmt.Println(err)
		return
	}
	_, err = safetensors.Read(path)
	fmt.Println(errors.Is(err, safetensors.ErrCorrupt))
	// Output:
	// 7 F32 [2 2] [1 0.5 -2 4] <nil>
	// true
}
