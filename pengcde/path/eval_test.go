package path_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

var kinds = []path.Kind{path.Hermite, path.Linear, path.Rectilinear, path.Natural, path.Ramp}

// along is a path at several times, the entries of one time after the other.
type along struct{ x, dx, time, clock []float64 }

type target struct {
	backend *xla.Backend
	kind    path.Kind
	indexed bool
}

var programs = struct {
	sync.Mutex
	compiled map[target]*xla.Program
}{compiled: make(map[target]*xla.Program)}

// program returns the program of (values, times, knots...), or of (snapshots, times, index, knots...).
func program(t testing.TB, backend *xla.Backend, kind path.Kind, indexed bool) *xla.Program {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	key := target{backend, kind, indexed}
	if programs.compiled[key] == nil {
		p, err := xla.NewProgram(backend, string(kind), func(in []*graph.Node) []*graph.Node {
			if indexed {
				at := path.Locate(kind, in[3:], in[1], nil)
				x, dx := at.Snapshots(in[0], in[2])
				return []*graph.Node{x, dx, at.Time, at.Clock}
			}
			at := path.Locate(kind, in[2:], in[1], nil)
			x, dx := at.Eval(in[0])
			return []*graph.Node{x, dx, at.Time, at.Clock}
		})
		if err != nil {
			t.Fatal(err)
		}
		programs.compiled[key] = p
	}
	return programs.compiled[key]
}

// eval evaluates the path of one sample at several times, each a sample of the batch, from values or snapshots at its
// knots. Times are padded to a few batch sizes, so that few programs are compiled.
func eval(t testing.TB, kind path.Kind, knots, rows []float64, index []int32, times []float64) along {
	t.Helper()
	return evalOn(t, xlatest.Go(t), kind, knots, rows, index, times)
}

// evalOn is eval on another backend.
func evalOn(t testing.TB, backend *xla.Backend, kind path.Kind, knots, rows []float64, index []int32,
	times []float64) along {
	t.Helper()
	distinct, asked, batch := len(knots), len(times), 64
	if asked > batch {
		batch = 4096
	}
	if asked > batch {
		t.Fatalf("%d times, want at most %d", asked, batch)
	}
	times = append(slices.Clone(times), slices.Repeat(times[:1], batch-asked)...)
	if index != nil {
		distinct = int(slices.Max(index)) + 1
	}
	owned := new(xla.Buffers)
	defer owned.Free()
	tables, err := path.Knots(kind, slices.Repeat([][]float64{knots}, batch))
	if err != nil {
		t.Fatal(err)
	}
	inputs := owned.Own(
		tensors.FromFlatDataAndDimensions(slices.Repeat(rows, batch), batch, distinct, len(rows)/distinct),
		tensors.FromFlatDataAndDimensions(times, batch))
	if index != nil {
		inputs = append(inputs, owned.Own(tensors.FromFlatDataAndDimensions(slices.Repeat(index, batch), batch,
			len(index)))...)
	}
	inputs = append(inputs, owned.Own(tables...)...)
	args := make([]any, len(inputs))
	for i, input := range inputs {
		args[i] = input
	}
	out, err := program(t, backend, kind, index != nil).Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	owned.Own(out...)
	read := func(x *tensors.Tensor) []float64 {
		all := tensors.MustCopyFlatData[float64](x)
		return all[:len(all)/batch*asked]
	}
	return along{read(out[0]), read(out[1]), read(out[2]), read(out[3])}
}
