package law

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// A window of a part of a series is measured on this part alone.
func TestMeasuredOnAPart(t *testing.T) {
	one := Law{State: -0.3, Terms: []Term{{Map: equivariant.IdentityMap, Coefficient: 0.5},
		{Map: equivariant.IdentityMap, Change: true, Coefficient: 0.2}}}
	whole := randomSeries(t, rand.New(rand.NewPCG(5, 6)), one)
	const from, length = 6, 9 // the graph changes at 6, which is the change before the part
	s := *whole.Series
	s.Times, s.Weights = s.Times[from:from+length], s.Weights[from:from+length]
	s.Features, s.Targets = s.Features[from:from+length], s.Targets[from:from+length]
	want, err := one.Measured([]dyngraph.Window{s.Whole()})
	if err != nil {
		t.Fatal(err)
	}
	part := whole
	part.Start, part.Length = from, length
	if got, err := one.Measured([]dyngraph.Window{part}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v as of a series of the part alone", got, err, want)
	}
}

func TestMeasuredRefuses(t *testing.T) {
	none := randomSeries(t, rand.New(rand.NewPCG(1, 2)), Law{State: -1})
	none.Series.Targets = nil
	broken := randomSeries(t, rand.New(rand.NewPCG(1, 2)), Law{State: -1})
	broken.Series.Weights = broken.Series.Weights[:3]
	for name, windows := range map[string][]dyngraph.Window{"no windows": nil, "no targets": {none},
		"weights of three snapshots": {broken}} {
		if _, err := (Law{State: 1}).Measured(windows); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}
