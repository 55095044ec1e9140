package synthetic

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
)

// tensors are the arrays of a set; those of trajectory b are named b.times and so on.
func (s *Set) tensors() ([]safetensors.Tensor, error) {
	tensors := []safetensors.Tensor{
		safetensors.FromInts("train", s.Train), safetensors.FromInts("interpolation", s.Interpolation),
		safetensors.FromInts("extrapolation", s.Extrapolation),
	}
	for b, t := range s.Trajectories {
		name := func(what string) string { return fmt.Sprintf("%d.%s", b, what) }
		tensors = append(tensors, safetensors.FromInts(name("from"), t.Pattern.From),
			safetensors.FromInts(name("to"), t.Pattern.To), safetensors.FromInts(name("events"), t.Events),
			safetensors.FromInts(name("index"), t.Index))
		for _, a := range []struct {
			what string
			rows [][]float64
		}{{"times", [][]float64{t.Times}}, {"snapshots", t.Snapshots}, {"values", t.Values}} {
			tensor, err := safetensors.FromFloats(name(a.what), "F64", []int{len(a.rows), len(a.rows[0])},
				slices.Concat(a.rows...))
			if err != nil {
				return nil, err
			}
			tensors = append(tensors, tensor)
		}
		tensors = append(tensors, safetensors.FromInts(name("nodes"), []int{t.Pattern.Nodes}))
	}
	return tensors, nil
}

// fromTensors is the set of a file whose checksum was found right.
func fromTensors(file *safetensors.File) (*Set, error) {
	r := reader{file: file}
	s := &Set{Train: r.integers("train"), Interpolation: r.integers("interpolation"),
		Extrapolation: r.integers("extrapolation")}
	for b := 0; ; b++ {
		name := func(what string) string { return fmt.Sprintf("%d.%s", b, what) }
		if _, found := file.Tensor(name("times")); !found {
			break
		}
		t := Trajectory{Snapshots: r.rows(name("snapshots")), Events: r.integers(name("events")),
			Index: r.integers(name("index")), Values: r.rows(name("values"))}
		times, nodes, from, to := r.rows(name("times")), r.integers(name("nodes")), r.integers(name("from")),
			r.integers(name("to"))
		if r.err == nil && (len(times) != 1 || len(nodes) != 1 || len(from) != len(to)) {
			r.err = fmt.Errorf("arrays of trajectory %d do not fit: %w", b, safetensors.ErrCorrupt)
		}
		if r.err != nil {
			return nil, r.err
		}
		t.Times, t.Pattern = times[0], &dyngraph.Pattern{Nodes: nodes[0]}
		for e := range from {
			t.Pattern.From, t.Pattern.To = append(t.Pattern.From, int32(from[e])), append(t.Pattern.To, int32(to[e]))
		}
		s.Trajectories = append(s.Trajectories, t)
	}
	if r.err == nil && len(s.Trajectories) == 0 {
		r.err = fmt.Errorf("no trajectories: %w", safetensors.ErrCorrupt)
	}
	return s, r.err
}

// reader keeps the first error.
type reader struct {
	file *safetensors.File
	err  error
}

func (r *reader) tensor(name, dtype string, axes int) (safetensors.Tensor, bool) {
	t, found := r.file.Tensor(name)
	if !found || t.DType != dtype || len(t.Shape) != axes {
		if r.err == nil {
			r.err = fmt.Errorf("%q is missing or has another shape: %w", name, safetensors.ErrCorrupt)
		}
		return t, false
	}
	return t, true
}

func (r *reader) integers(name string) []int {
	t, ok := r.tensor(name, "I32", 1)
	if !ok {
		return nil
	}
	values := make([]int, t.Shape[0])
	for i := range values {
		values[i] = int(int32(binary.LittleEndian.Uint32(t.Data[4*i:])))
	}
	return values
}

func (r *reader) rows(name string) [][]float64 {
	t, ok := r.tensor(name, "F64", 2)
	if !ok {
		return nil
	}
	flat, err := t.Floats()
	if err != nil {
		r.err = err
		return nil
	}
	rows, width := make([][]float64, t.Shape[0]), t.Shape[1]
	for i := range rows {
		rows[i] = flat[i*width : (i+1)*width]
	}
	return rows
}
