package hlo

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Count is what a program costs on a GPU as far as its optimised form says. Loops count once in Kernels, Library and
// Scatters, and as many times as they run, where XLA knows it, in the others.
type Count struct {
	// Kernels are the fusions, calls of libraries and single operations of the entry computation and its loops: each is
	// a launch, of which Library are calls of libraries such as cuBLAS.
	Kernels int `json:"kernels"`
	Library int `json:"library"`
	// Scatters are those left, of which fusions may have some.
	Scatters int `json:"scatters"`
	// Launches are kernels with loops as often as they run.
	Launches int `json:"launches"`
	// Bytes are read and written by kernels, as if nothing stayed in a cache from one to the next.
	Bytes int64 `json:"bytes"`
	// MultiplyAdds count matrix products alone.
	MultiplyAdds int64 `json:"multiplyAdds"`
}

// free are the operations that launch nothing.
var free = []string{"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "opt-barrier",
	"add-dependency", "partition-id", "replica-id", "copy-done", "async-done", "async-update", "domain"}

// Count counts the program.
func (m *Module) Count() (c Count) {
	m.count(m.entry, 1, &c)
	return c
}

func (m *Module) count(id int64, times int, c *Count) {
	in := m.computations[id]
	if in == nil {
		return
	}
	for _, i := range in.instructions {
		if slices.Contains(free, i.opcode) {
			continue
		}
		switch i.opcode {
		case "while":
			for _, called := range i.called {
				m.count(called, times*i.trips(), c)
			}
			continue
		case "call", "conditional", "async-start":
			for _, called := range i.called {
				m.count(called, times, c)
			}
			continue
		}
		c.Kernels++
		c.Launches += times
		if m.library(i) {
			c.Library++
		}
		bytes := i.result().bytes()
		for k, operand := range i.operands {
			bytes += m.read(in.byID[operand], i, k)
		}
		c.Bytes += int64(times) * bytes
		c.Scatters += m.scatters(i)
		c.MultiplyAdds += int64(times) * m.multiplyAdds(in, i)
	}
}

// library says that an instruction is a call of one of NVIDIA's libraries.
func (i *instruction) library() bool {
	return i.opcode == "custom-call" && (strings.HasPrefix(i.target, "__cu") || strings.HasPrefix(i.target, "cu"))
}

// library says that an instruction calls a library, itself or within a fusion.
func (m *Module) library(i *instruction) (calls bool) {
	m.within(nil, i, func(_ *computation, i *instruction) { calls = calls || i.library() })
	return calls
}

// result is the shape of what an instruction makes, without the workspace of a library: bytes beside the first part.
func (i *instruction) result() shape {
	if len(i.shape.parts) == 0 || i.opcode != "custom-call" && i.opcode != "fusion" {
		return i.shape
	}
	made := shape{element: tuple}
	for k, part := range i.shape.parts {
		if k == 0 || part.element != int8s {
			made.parts = append(made.parts, part)
		}
	}
	if i.library() {
		return made.parts[0]
	}
	return made
}

// trips is how often a loop runs; 1 where XLA does not know it.
func (i *instruction) trips() int {
	var config struct {
		Known struct {
			N string `json:"n"`
		} `json:"known_trip_count"`
	}
	if json.Unmarshal([]byte(i.config), &config) != nil {
		return 1
	}
	n, err := strconv.Atoi(config.Known.N)
	if err != nil {
		return 1
	}
	return n
}

// read is how many bytes of an operand an instruction reads: of one that a fusion only takes parts of, those.
func (m *Module) read(operand, by *instruction, place int) int64 {
	if operand == nil {
		return 0
	}
	whole := operand.shape.bytes()
	if by.opcode != "fusion" || len(by.called) == 0 {
		if parts(by.opcode) && place == 0 {
			return min(whole, by.shape.bytes())
		}
		return whole
	}
	inside := m.computations[by.called[0]]
	if inside == nil {
		return whole
	}
	for _, parameter := range inside.instructions {
		if parameter.opcode != "parameter" || parameter.parameter != int64(place) {
			continue
		}
		read := int64(0)
		for _, user := range inside.instructions {
			at := slices.Index(user.operands, parameter.id)
			switch {
			case at < 0:
			case at == 0 && parts(user.opcode):
				read += user.shape.bytes()
			default:
				return whole
			}
		}
		return min(whole, read)
	}
	return whole
}

// parts says that an operation reads only parts of its first operand.
func parts(opcode string) bool {
	return opcode == "slice" || opcode == "dynamic-slice" || opcode == "gather"
}

// within calls f for an instruction and all instructions in it, with their computation.
func (m *Module) within(c *computation, i *instruction, f func(c *computation, i *instruction)) {
	f(c, i)
	for _, id := range i.called {
		if called := m.computations[id]; called != nil {
			for _, inner := range called.instructions {
				m.within(called, inner, f)
			}
		}
	}
}

func (m *Module) scatters(i *instruction) (count int) {
	m.within(nil, i, func(_ *computation, i *instruction) {
		if i.opcode == "scatter" || i.opcode == "select-and-scatter" {
			count++
		}
	})
	return count
}

func (m *Module) multiplyAdds(c *computation, i *instruction) (count int64) {
	m.within(c, i, func(c *computation, i *instruction) {
		axes := i.contracted
		if i.library() {
			var ok bool
			if axes, ok = i.gemm(); !ok {
				return
			}
		} else if i.opcode != "dot" {
			return
		}
		if len(i.operands) == 0 || c.byID[i.operands[0]] == nil {
			return
		}
		size := i.result().size()
		factor := c.byID[i.operands[0]].shape.dims
		for _, axis := range axes {
			if axis < int64(len(factor)) {
				size *= factor[axis]
			}
		}
		count += size
	})
	return count
}

// gemm are the axes of the first factor that a library's product sums over.
func (i *instruction) gemm() (axes []int64, ok bool) {
	var config struct {
		Gemm *struct {
			Dims struct {
				Axes []string `json:"lhs_contracting_dimensions"`
			} `json:"dot_dimension_numbers"`
		} `json:"gemm_backend_config"`
	}
	if json.Unmarshal([]byte(i.config), &config) != nil || config.Gemm == nil {
		return nil, false
	}
	for _, text := range config.Gemm.Dims.Axes {
		axis, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false
		}
		axes = append(axes, axis)
	}
	return axes, true
}
