package worlds

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// A gradient that was not finite is stored as the largest number. The table and the figure say what it was.
func TestNormThatIsNotFinite(t *testing.T) {
	var results experiments.Results
	for id, norm := range map[string]float64{"a": 10, "b": 1000, "c": math.MaxFloat64} {
		results = append(results, experiments.Result{
			Run: experiments.Run{Model: experiments.Row{ID: id, Name: "Field " + id}},
			Record: &experiments.Record{Facts: &experiments.Facts{
				Training: &experiments.Training{GradientNorm: []float64{norm}}}}})
	}
	r := &experiments.Report{Results: results, Profile: experiments.Medium}
	largest := func(run experiments.Result) float64 { return run.Facts().Training.LargestGradient() }
	axes := figures.Axes{Title: "Norms", LogX: true, Dot: "one run"}
	figure, err := drawSettings(r, results, axes, largest, floats.Max)
	if err != nil {
		t.Fatal(err)
	}
	if alt := figure.Alt(); !strings.Contains(alt, "Field c not finite") || strings.Contains(alt, "e+") {
		t.Errorf("the figure says %q", alt)
	}
	if _, err := drawSettings(r, results.Where("model", "c"), figures.Axes{}, largest, floats.Max); !errors.Is(err,
		experiments.ErrNotStored) {
		t.Errorf("of no finite norm: %v", err)
	}
	for norm, want := range map[float64]string{math.MaxFloat64: "not finite", 1234: "1.2e+03"} {
		table := &figures.Table{Columns: []figures.Column{{Title: "norm"}},
			Rows: [][]figures.Cell{{trainings{norm: norm}.norms()}}}
		if text, err := table.Text(80); err != nil || !strings.Contains(text, want) {
			t.Errorf("norm %g: %q, %v, want %q", norm, text, err, want)
		}
	}
}
