package train

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// watched is a bowl that records the parameters of its calls.
type watched struct {
	bowl
	trained, validated [][]float64
}

func (w *watched) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
	w.trained = append(w.trained, tensors.MustCopyFlatData[float64](params[0]))
	return w.bowl.Gradient(ctx, params, batch)
}

func (w *watched) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	w.validated = append(w.validated, tensors.MustCopyFlatData[float64](params[0]))
	return w.bowl.Validate(ctx, params)
}

// Validated and kept parameters are the weighted mean of the parameters after every step, by its formula. Training
// continues from the same parameters as without an average.
func TestAverageByHand(t *testing.T) {
	const decay = 0.7
	config := Config{Epochs: 5, EvaluateEvery: 1, Average: decay, AdamW: AdamW{LearningRate: 0.3}}
	w := &watched{bowl: bowl{target: downhill, validations: []float64{5, 4, 1, 3, 2}}}
	kept, report, err := Fit(context.Background(), xlatest.Go(t), w, start(), config)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range w.trained {
		for k, x := range byHand(t, config, i) {
			if got[k] != x {
				t.Fatalf("batch %d is trained with %v, want %v", i, got, byHand(t, config, i))
			}
		}
	}
	for e, got := range w.validated {
		sum, weights := [2]float64{}, 0.0
		for step := 1; step <= 2*(e+1); step++ {
			weight := math.Pow(decay, float64(2*(e+1)-step))
			weights += weight
			for k, x := range byHand(t, config, step) {
				sum[k] += weight * x
			}
		}
		for k := range sum {
			if !(math.Abs(got[k]-sum[k]/weights) <= 1e-14) {
				t.Errorf("epoch %d validates %v, want %v over %g", e, got, sum, weights)
			}
		}
	}
	if best := tensors.MustCopyFlatData[float64](kept[0]); report.Best != 2 || best[0] != w.validated[2][0] {
		t.Errorf("kept %v of epoch %d, want %v", best, report.Best, w.validated[2])
	}
	config.EvaluateEvery = NoValidation
	last, _, err := Fit(context.Background(), xlatest.Go(t), &watched{bowl: bowl{target: downhill}}, start(), config)
	if err != nil {
		t.Fatal(err)
	}
	if got := tensors.MustCopyFlatData[float64](last[0]); got[0] != w.validated[4][0] || got[1] != w.validated[4][1] {
		t.Errorf("without validation %v is kept, want the last average %v", got, w.validated[4])
	}
}
