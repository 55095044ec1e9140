package path_test

import (
	"fmt"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

func TestFixtureHermite(t *testing.T) {
	f := fixture.Load(t, "hermite")
	got := evalOn(t, xlatest.Backend(t), path.Hermite, f.Get("ts").Array().Data, f.Get("xs").Array().Data, nil,
		f.Get("query").Array().Data)
	values, derivatives := f.Get("value").Array(), f.Get("derivative").Array()
	width := values.Dims[1]
	for i, time := range f.Get("query").Array().Data {
		fixture.Close(t, fmt.Sprintf("value at %g", time), got.x[i*width:(i+1)*width], values.Row(i).Data, 1e-12)
		fixture.Close(t, fmt.Sprintf("derivative at %g", time), got.dx[i*width:(i+1)*width], derivatives.Row(i).Data, 1e-12)
	}
}

func TestFixtureControlPath(t *testing.T) {
	f := fixture.Load(t, "control_path")
	ts, controls, queries := f.Get("ts").Array(), f.Get("control_list").Array(), f.Get("query").Array()
	index := make([]int32, ts.Dims[1])
	for _, event := range f.Get("event_indices").Array().Ints() {
		for k := event; k < len(index); k++ {
			index[k]++
		}
	}
	for b := range ts.Dims[0] {
		got := evalOn(t, xlatest.Backend(t), path.Hermite, ts.Row(b).Data, controls.Row(b).Data, index, queries.Row(b).Data)
		fixture.Close(t, "value", got.x, f.Get("value").Array().Row(b).Data, 1e-12)
		fixture.Close(t, "derivative", got.dx, f.Get("derivative").Array().Row(b).Data, 1e-12)
	}
}
