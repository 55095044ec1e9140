package hlo

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Count is the cost of a program on a GPU, as its optimised form shows it. A loop counts once in Kernels, Library and
// Scatters. In the other counts it counts once per iteration, if XLA knows their number.
type Count struct {
	// Kernels is the number of fusions, library calls and single operations of the entry computation and its loops.
	// Each is a launch. Library is the number of calls of libraries such as cuBLAS among them.
	Kernels int `json:"kernels"`
	Library int `json:"library"`
	// Scatters is the number of scatters left, including those inside fusions.
	Scatters int `json:"scatters"`
	// Launches is the number of kernels, with each loop counted once per iteration.
	Launches int `json:"launches"`
	// Bytes is the number of bytes that kernels read and write, if nothing stays in a cache between kernels.
	Bytes int64 `json:"bytes"`
	// MultiplyAdds counts only matrix products.
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

// library reports whether an instruction calls one of NVIDIA's libraries.
func (i *instruction) library() bool {
	return i.opcode == "custom-call" && (strings.HasPrefix(i.target, "__cu") || strings.HasPrefix(i.target, "cu"))
}

// library reports whether an instruction calls a library, directly or within a fusion.
func (m *Module) library(i *instruction) (calls bool) {
	m.within(nil, i, func(_ *computation, i *instruction) { calls = calls || i.library() })
	return calls
}

// result returns the shape of an instruction's result, without the workspace of a library, which is bytes next to the
// first part.
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

// trips returns the number of iterations of a loop; 1 if XLA does not know it.
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

// read returns the number of bytes of an operand that an instruction reads. For an operand of which a fusion takes only
// parts, it counts these parts.
func (m *Module) read(operand, by *instruction, position int) int64 {
	if operand == nil {
		return 0
	}
	whole := operand.shape.bytes()
	if by.opcode != "fusion" || len(by.called) == 0 {
		if parts(by.opcode) && position == 0 {
			return min(whole, by.shape.bytes())
		}
		return whole
	}
	inside := m.computations[by.called[0]]
	if inside == nil {
		return whole
	}
	for _, parameter := range inside.instructions {
		if parameter.opcode != "parameter" || parameter.parameter != int64(position) {
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

// parts reports whether an operation reads only parts of its first operand.
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

// gemm returns the axes of the first factor over which a library's product sums.
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
