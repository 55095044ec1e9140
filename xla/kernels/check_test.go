package kernels_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// call holds the shapes of the inputs and outputs of a kernel call.
type call struct{ in, out []shapes.Shape }

func (c call) clone() call {
	copied := func(all []shapes.Shape) (made []shapes.Shape) {
		for _, s := range all {
			made = append(made, s.Clone())
		}
		return made
	}
	return call{copied(c.in), copied(c.out)}
}

const (
	entries  = 10 // of all lists of a sample
	manySums = 7
)

// calls returns a valid call of each kernel for floats of a type: 4 seeds with a sample each, 3 nodes, states of 5
// numbers, rows of 4 numbers mapped to 6, two tables with lists of 10 neighbours in all, and 7 sums of 8 rows each.
func calls(float dtypes.DType) map[string]call {
	r := func(dims ...int) shapes.Shape { return shapes.Make(float, dims...) }
	i := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Int32, dims...) }
	const seeds, batch, n, d, in, out, sums, behind = 4, 4, 3, 5, 4, 6, manySums, 16
	tables := []shapes.Shape{i(batch, 2, 3), i(batch, 1, 4)}
	with := func(tables []shapes.Shape, others ...shapes.Shape) []shapes.Shape { return append(others, tables...) }
	z, held := r(batch, n, d), entries+behind
	ranks := []shapes.Shape{r(batch, n, sums), r(seeds, sums, 4), z}
	all := map[string]call{
		"pengcde_ranks":          {ranks, []shapes.Shape{z}},
		"pengcde_ranks_to_puts":  {with([]shapes.Shape{z}, ranks...), ranks[1:2]},
		"pengcde_ranks_to_nodes": {with([]shapes.Shape{z}, ranks...), ranks[:1]},
	}
	arranged := func(matrices int) []shapes.Shape {
		return []shapes.Shape{i(batch, n), i(batch, held), r(batch, matrices, held)}
	}
	all["pengcde_combine"] = call{[]shapes.Shape{r(sums, 8), i(sums, 8), r(n, d)}, []shapes.Shape{r(sums, d)}}
	for _, kind := range []string{"hermite", "linear", "ramp"} {
		f := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float64, dims...) }
		followed := func(width int) []shapes.Shape {
			return []shapes.Shape{f(batch, 7), f(batch), f(batch), f(batch), i(batch, 7), r(batch, 3, width)}
		}
		all["pengcde_path_"+kind] = call{followed(d), []shapes.Shape{r(batch, d), r(batch, d)}}
		for each, directed := range map[int]string{1: "undirected", 2: "directed"} {
			all["pengcde_lists_"+directed+"_"+kind] = call{with(tables, followed(each*entries)...), arranged(2 * each)}
		}
	}
	x, gains, linear := r(batch, n, in), r(seeds, in), []shapes.Shape{r(seeds, out, in), r(seeds, out)}
	y, epsilon := []shapes.Shape{r(batch, n, out)}, r(1)
	for _, norm := range []string{"", "_graph", "_none"} {
		inputs, epsilon := with(linear, x, gains, gains), []shapes.Shape{epsilon}
		if norm == "_none" {
			inputs, epsilon = with(linear, x), nil
		}
		for _, activation := range []string{"", "_relu", "_silu"} {
			name := "pengcde_linear" + norm + activation
			all[name] = call{slices.Concat(inputs, epsilon), y}
			all[name+"_pullback"] = call{slices.Concat(inputs, epsilon, y), inputs}
		}
	}
	slots := i(batch * n)
	product := append([]shapes.Shape{r(seeds, 4)}, append(arranged(4), slots, slots, z)...)
	all["pengcde_product"] = call{with(tables, product...), []shapes.Shape{z}}
	for matrices, number := range map[int]string{1: "one", 2: "two"} {
		name, puts, each := "pengcde_message_"+number, r(seeds, 5*matrices+1, 4), 3-matrices // one is directed
		rows := slices.Repeat([]shapes.Shape{r(batch, each*entries+(each+1)*n+2)}, matrices)
		message := slices.Concat([]shapes.Shape{r(seeds, each*matrices)}, arranged(each*matrices), product[4:])
		all[name] = call{with(tables, append(append(message, puts), rows...)...), []shapes.Shape{z}}
		all[name+"_pullback"] = call{with(tables, append(append(message, z, puts), rows...)...),
			[]shapes.Shape{message[0], puts}}
		for each, directed := range map[int]string{1: "undirected", 2: "directed"} {
			rows := slices.Repeat([]shapes.Shape{r(batch, each*entries)}, matrices)
			name := "_" + number + "_" + directed
			all["pengcde_arrange"+name] = call{with(tables, rows...), arranged(each * matrices)}
			all["pengcde_entries"+name] = call{with(tables, r(seeds, each*matrices), slots, slots, z, z), rows}
		}
	}
	return all
}

// run calls a kernel on zeros.
func run(t *testing.T, backend *xla.Backend, name string, c call) error {
	t.Helper()
	program, err := xla.NewProgram(backend, "checks", func(in []*Node) []*Node {
		return xla.Call(name, func(in []*Node) (out []*Node) {
			for _, s := range c.out {
				out = append(out, Zeros(in[0].Graph(), s))
			}
			return out
		}, in...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	var in []any
	for _, s := range c.in {
		in = append(in, tensors.FromShape(s))
	}
	out, err := program.Call(in...)
	if err != nil {
		return err
	}
	defer xla.Free(out...)
	return nil
}

// A kernel that receives invalid tensors returns an error that gives the tensors and its signature, and works
// afterwards.
func TestCallsThatDoNotFit(t *testing.T) {
	t.Setenv(xla.CacheEnv, "off")
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	if !backend.HasKernels() {
		t.Skip("no kernels here")
	}
	single, double := calls(dtypes.Float32), calls(dtypes.Float64)
	for _, name := range slices.Sorted(maps.Keys(kernels.All())) {
		c, ok := single[name]
		if !ok {
			t.Errorf("%s has no call that fits here: add one", name)
			continue
		}
		if err := run(t, backend, name, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for what, other := range misfits(name, c) {
			err := run(t, backend, name, other)
			if err == nil || !strings.Contains(err.Error(), name+": ") || !strings.Contains(err.Error(), ", want ") {
				t.Errorf("%s, %s: %v, want an error that names the kernel, and what it got and wants", name, what, err)
			}
		}
		if strings.HasPrefix(name, "pengcde_ranks") {
			other := c.clone()
			for _, s := range [][]shapes.Shape{other.in, other.out} {
				for i := range s {
					for axis, size := range s[i].Dimensions {
						if size == manySums {
							s[i].Dimensions[axis] = 12
						}
					}
				}
			}
			if err := run(t, backend, name, other); err == nil || !strings.Contains(err.Error(), "12 sums, want at most 11") {
				t.Errorf("%s: %v, want an error for 12 sums", name, err)
			}
		}
		if err := run(t, backend, name, double[name]); err != nil {
			t.Errorf("%s for float64, after calls that do not fit: %v", name, err)
		}
	}
}

// misfits returns calls with one tensor less or more, or with one of another type or other dimensions.
func misfits(name string, c call) map[string]call {
	all := make(map[string]call)
	for side, of := range map[string]func(*call) *[]shapes.Shape{
		"input":  func(c *call) *[]shapes.Shape { return &c.in },
		"output": func(c *call) *[]shapes.Shape { return &c.out },
	} {
		count := len(*of(&c))
		change := func(what string, f func(s *[]shapes.Shape)) {
			other := c.clone()
			f(of(&other))
			all[fmt.Sprintf("%s %s", side, what)] = other
		}
		if count > 1 {
			change("less", func(s *[]shapes.Shape) { *s = (*s)[1:] })
		}
		change("more", func(s *[]shapes.Shape) { *s = append(*s, (*s)[0]) })
		for i, shape := range *of(&c) {
			long := strings.Contains(name, "arrange") || strings.Contains(name, "entries") // rows may be longer
			isRow := long && shape.Rank() == 2 && shape.Dim(1) >= entries && shape.DType != dtypes.Int32
			isTable := shape.Rank() == 3 && shape.DType == dtypes.Int32
			// Rows on a path may be of any number, and longer than what a kernel takes of them.
			followed := side == "input" && i == 5 && (strings.Contains(name, "_path_") || strings.Contains(name, "_lists_"))
			free := -1 // the axis of any size
			switch {
			case name == "pengcde_combine" && side == "input" && i == 2:
				free = 0
			case followed:
				free = 1
			}
			change(fmt.Sprint(i, " of another type"), func(s *[]shapes.Shape) {
				(*s)[i].DType = map[dtypes.DType]dtypes.DType{dtypes.Float32: dtypes.Float64,
					dtypes.Float64: dtypes.Float32, dtypes.Int32: dtypes.Int64}[shape.DType]
			})
			change(fmt.Sprint(i, " of a number"), func(s *[]shapes.Shape) { (*s)[i].Dimensions = nil })
			change(fmt.Sprint(i, " of a higher rank"), func(s *[]shapes.Shape) {
				(*s)[i].Dimensions = append((*s)[i].Dimensions, 1)
			})
			for axis := range shape.Dimensions {
				if axis == free {
					continue
				}
				if !isTable || axis < 2 || !strings.Contains(name, "entries") {
					change(fmt.Sprint(i, " shorter in axis ", axis), func(s *[]shapes.Shape) { (*s)[i].Dimensions[axis]-- })
				}
				if (!isRow || axis == 0) && (!followed || axis != 2) {
					change(fmt.Sprint(i, " longer in axis ", axis), func(s *[]shapes.Shape) { (*s)[i].Dimensions[axis]++ })
				}
			}
		}
	}
	return all
}
