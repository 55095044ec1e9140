package field_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
)

// A field driven by rows equals the field driven by features A_k W^T at the knots.
func TestRowsAreFeatures(t *testing.T) {
	sample, z, n, _ := clocked(t)
	const width = 2
	peng := field.PENG{Hidden: 3, Layers: 2, Features: width}
	rows := field.Rows{Field: peng, Nodes: n, Width: width}
	params := waves(rows)
	w := mat.NewDense(width, n, params["field.rows.weight"].Data)
	written := sample
	written.Features = nil
	for _, weights := range sample.Snapshots {
		a, x := mat.NewDense(n, n, nil), &mat.Dense{}
		for e, weight := range weights {
			a.Set(int(sample.Pattern.From[e]), int(sample.Pattern.To[e]), weight)
		}
		x.Mul(a, w.T())
		written.Features = append(written.Features, x.RawMatrix().Data)
	}
	sample.Features = nil
	times := []float64{0.4, 1, 2.3, 3.4}
	for _, product := range bothProducts {
		want := evaluate(t, xlatest.Go(t), peng, params, written, product, times, z, false)
		got := evaluate(t, xlatest.Go(t), rows, params, sample, product, times, z, false)
		fixture.Close(t, string(product), got[0], want[0], 1e-12)
	}
}
