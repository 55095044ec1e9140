package field_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// An error about a sample wraps ErrInput. It also wraps dyngraph.ErrInvalid if the graph is wrong, and the errors of
// package path if that package found the fault. No message repeats itself.
func TestSampleErrors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*field.Sample)
		also   error
		graph  bool
	}{
		"clock":                 {func(s *field.Sample) { s.Clock = s.Knots[:2] }, nil, false},
		"bad clock":             {func(s *field.Sample) { s.Clock = make([]float64, len(s.Knots)) }, path.ErrKnots, false},
		"knots":                 {func(s *field.Sample) { s.Knots[1] = s.Knots[0] }, path.ErrKnots, false},
		"features":              {func(s *field.Sample) { s.Features = s.Features[:1] }, nil, false},
		"kind":                  {func(s *field.Sample) { s.GraphPath = "cubic" }, path.ErrKind, false},
		"no pattern":            {func(s *field.Sample) { s.Pattern = nil }, dyngraph.ErrInvalid, true},
		"weights":               {func(s *field.Sample) { s.Snapshots[0] = nil }, dyngraph.ErrInvalid, true},
		"no nodes":              {func(s *field.Sample) { s.Pattern.Nodes = 0 }, dyngraph.ErrInvalid, true},
		"edge beyond the nodes": {func(s *field.Sample) { s.Pattern.To[0] = 4 }, dyngraph.ErrInvalid, true},
		"negative edge":         {func(s *field.Sample) { s.Pattern.From[0] = -1 }, dyngraph.ErrInvalid, true},
		"ragged pattern":        {func(s *field.Sample) { s.Pattern.To = nil }, dyngraph.ErrInvalid, true},
		"edge twice":            {func(s *field.Sample) { putEdges(s, 0, 1, 0, 1) }, dyngraph.ErrInvalid, true},
		"edges out of order":    {func(s *field.Sample) { putEdges(s, 1, 0, 0, 1) }, dyngraph.ErrInvalid, true},
		"sum overflows": {func(s *field.Sample) {
			putEdges(s, 0, 1, 0, 2)
			s.Snapshots[1] = []float64{1.7e308, 1.7e308}
		}, dyngraph.ErrInvalid, true},
	} {
		s := oddGraph(t, 4, 1, [][2]int{{0, 1}}, 0)
		c.change(&s)
		_, _, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{s})
		if !errors.Is(err, field.ErrInput) || errors.Is(err, dyngraph.ErrInvalid) != c.graph || c.also != nil &&
			!errors.Is(err, c.also) {
			t.Errorf("%s: %v, want ErrInput and %v", name, err, c.also)
			continue
		}
		for _, word := range []string{"pengcde", "sample 0:", "invalid"} {
			if strings.Count(err.Error(), word) > 1 {
				t.Errorf("%s: %q says %q twice", name, err, word)
			}
		}
	}
}

// putEdges gives a sample two edges of weight 1.
func putEdges(s *field.Sample, from0, to0, from1, to1 int32) {
	s.Pattern = &dyngraph.Pattern{Nodes: s.Pattern.Nodes, From: []int32{from0, from1}, To: []int32{to0, to1}}
	for k := range s.Snapshots {
		s.Snapshots[k] = []float64{1, 1}
	}
}

// Sizes that no machine could hold panic with ErrInput where the parameters are declared, before anything is allocated.
func TestFieldSizes(t *testing.T) {
	const huge = 1 << 40
	for name, f := range map[string]field.Field{
		"hidden":           field.PENG{Hidden: huge, Layers: 1},
		"hidden overflows": field.PENG{Hidden: math.MaxInt, Layers: 1, Features: 1},
		"layers":           field.Original{Hidden: 1, Layers: huge}, "features": field.Adjacency{Hidden: 1, Layers: 1,
			Features: huge},
		"no layers": field.GNODE{Hidden: 1}, "constant": field.Constant{Hidden: huge},
		"nodes": field.PreMult{Hidden: 1, Layers: 1, Nodes: huge},
	} {
		if err := panics.Catch(func() { f.Params() }); !errors.Is(err, field.ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}

// An equation splits off its parameters before it takes the control.
func TestEquationWithoutParameters(t *testing.T) {
	equation, params := field.Equation(field.GNODE{Hidden: 2, Layers: 1}, field.Form{})
	program, err := xla.NewProgram(xlatest.Go(t), "equation", func(in []*Node) []*Node {
		return []*Node{equation(in[0],
			in[0], in[1:])}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if _, err := program.Call([]float64{1}); !errors.Is(err, field.ErrInput) || len(params) == 0 {
		t.Errorf("%v, want ErrInput for the %d parameters", err, len(params))
	}
}
