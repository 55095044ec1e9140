package worlds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Weights of every layer are stored, only on A for a layer that does not see A', and shown in tables and figures.
func TestWeightsOfLayersThatSeeNoDerivative(t *testing.T) {
	maps := equivariant.Published8()
	for _, c := range []struct {
		field   field.Field
		columns []string
	}{
		{field.PENG{}, []string{"layer 1, A", "layer 1, A'", "layer 2, A", "layer 2, A'"}},
		{field.Affine(), []string{"layer 1, A", "layer 2, A", "layer 2, A'"}},
		{field.PENG{DerivativeIn: field.NoLayer}, []string{"layer 1, A", "layer 2, A"}},
	} {
		model := experiments.NetworkRow("affine", "PENG-CDE affine",
			pengcde.Config{Nodes: 4, Features: 1, Hidden: 2, Layers: 2,
				Field: c.field}, train.Config{})
		learner, err := model.New(xlatest.Go(t))
		if err != nil {
			t.Fatal(err)
		}
		defer learner.Close()
		facts := &experiments.Facts{Arrays: map[string][][]float64{}}
		keepWeights(facts, learner, len(maps))
		run := experiments.Run{Model: model, Keys: map[string]string{"dynamics": "heat", "family": "grid"},
			Spec: world{worldModel: worldModel{maps: maps}}}
		r := &experiments.Report{Results: experiments.Results{{Run: run, Record: &experiments.Record{Facts: facts}}}}
		l, err := newLearnt(r, "heat", "grid", "affine")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(l.columns, c.columns) {
			t.Errorf("%+v: columns %q, want %q", c.field, l.columns, c.columns)
		}
		for j, column := range l.columns {
			var layer int
			_, _ = fmt.Sscanf(column, "layer %d", &layer)
			values, _ := learner.(experiments.NetworkLearner).Parameter(fmt.Sprintf("field.layers.%d.maps", layer-1))
			sides, side := len(values)/len(maps), strings.Count(column, "'")
			for i := range maps {
				if got, want := l.values[i][j][0], values[sides*i+side]; got != want {
					t.Errorf("%+v: %s, %v: %g, want %g", c.field, column, maps[i], got, want)
				}
			}
		}
		table, err := (Worlds{}).Weights(r, "heat", "grid", "affine")
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Columns) != 1+len(c.columns) || len(table.Rows[0]) != 1+len(c.columns) {
			t.Errorf("%+v: %d columns, %d cells", c.field, len(table.Columns), len(table.Rows[0]))
		}
		if _, err := (Worlds{}).WeightsMap(r, "heat", "grid", "affine"); err != nil {
			t.Error(err)
		}
	}
}
