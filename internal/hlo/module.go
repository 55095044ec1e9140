package hlo

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrProto is returned for content that is not an HloModuleProtoWithConfig.
var ErrProto = errors.New("no optimised program")

// Module holds the parts of a program that [Module.Count] reads.
type Module struct {
	Name         string
	computations map[int64]*computation
	entry        int64
}

type computation struct {
	instructions []*instruction
	byID         map[int64]*instruction
	root         int64
}

type instruction struct {
	id               int64
	name, opcode     string
	target, config   string // of a custom call
	shape            shape
	operands, called []int64
	parameter        int64
	contracted       []int64 // axes of the first factor of a product
}

// shape is the shape of an array, or of a tuple if parts are set.
type shape struct {
	element int64
	dims    []int64
	parts   []shape
}

// widths are the bytes per entry by XLA's PrimitiveType; types not listed count 1.
var widths = map[int64]int64{3: 2, 7: 2, 10: 2, 16: 2, 4: 4, 8: 4, 11: 4, 5: 8, 9: 8, 12: 8, 15: 8, 18: 16}

func (s shape) size() int64 {
	size := int64(1)
	for _, dim := range s.dims {
		size *= dim
	}
	return size
}

func (s shape) bytes() (bytes int64) {
	for _, part := range s.parts {
		bytes += part.bytes()
	}
	if len(s.parts) == 0 && s.element != token && s.element != tuple {
		bytes = s.size() * max(widths[s.element], 1)
	}
	return bytes
}

const int8s, tuple, token = 2, 13, 17 // of PrimitiveType

// Parse reads an HloModuleProtoWithConfig in binary form, as PJRT returns it. The error wraps [ErrProto].
func Parse(content []byte) (*Module, error) {
	m := &Module{computations: map[int64]*computation{}}
	err := fields(content, func(field protowire.Number, value []byte, _ uint64) error {
		if field == 1 {
			return fields(value, m.field)
		}
		return nil
	})
	if err == nil && m.computations[m.entry] == nil {
		err = errors.New("it has no entry computation")
	}
	if err != nil {
		return nil, fmt.Errorf("internal/hlo: %w: %w", ErrProto, err)
	}
	return m, nil
}

func (m *Module) field(field protowire.Number, value []byte, number uint64) error {
	switch field {
	case 1:
		m.Name = string(value)
	case 3:
		c := &computation{byID: map[int64]*instruction{}}
		id := int64(0)
		err := fields(value, func(field protowire.Number, value []byte, number uint64) error {
			switch field {
			case 2:
				in := &instruction{}
				if err := fields(value, in.field); err != nil {
					return err
				}
				c.instructions, c.byID[in.id] = append(c.instructions, in), in
			case 5:
				id = int64(number)
			case 6:
				c.root = int64(number)
			}
			return nil
		})
		m.computations[id] = c
		return err
	case 6:
		m.entry = int64(number)
	}
	return nil
}

func (in *instruction) field(field protowire.Number, value []byte, number uint64) (err error) {
	switch field {
	case 1:
		in.name = string(value)
	case 2:
		in.opcode = string(value)
	case 3:
		in.shape, err = parseShape(value)
	case 9:
		in.parameter = int64(number)
	case 28:
		in.target = string(value)
	case 30:
		err = fields(value, func(field protowire.Number, value []byte, number uint64) error {
			if field == 1 {
				in.contracted = list(in.contracted, value, number)
			}
			return nil
		})
	case 35:
		in.id = int64(number)
	case 36:
		in.operands = list(in.operands, value, number)
	case 38:
		in.called = list(in.called, value, number)
	case 43:
		in.config = string(value)
	}
	return err
}

func parseShape(content []byte) (s shape, err error) {
	err = fields(content, func(field protowire.Number, value []byte, number uint64) error {
		switch field {
		case 2:
			s.element = int64(number)
		case 3:
			s.dims = list(s.dims, value, number)
		case 4:
			part, err := parseShape(value)
			s.parts = append(s.parts, part)
			return err
		}
		return nil
	})
	return s, err
}

// list appends the values of a repeated number, packed in value or single.
func list(to []int64, value []byte, number uint64) []int64 {
	if value == nil {
		return append(to, int64(number))
	}
	for len(value) > 0 {
		v, n := protowire.ConsumeVarint(value)
		if n < 0 {
			return to
		}
		to, value = append(to, int64(v)), value[n:]
	}
	return to
}

// fields calls f for the fields of a message, with the bytes of a string or message (not nil), or the number of a
// varint.
func fields(content []byte, f func(field protowire.Number, value []byte, number uint64) error) error {
	for len(content) > 0 {
		field, kind, n := protowire.ConsumeTag(content)
		if n < 0 {
			return protowire.ParseError(n)
		}
		content = content[n:]
		var err error
		switch kind {
		case protowire.VarintType:
			var number uint64
			if number, n = protowire.ConsumeVarint(content); n >= 0 {
				err = f(field, nil, number)
			}
		case protowire.BytesType:
			var value []byte
			if value, n = protowire.ConsumeBytes(content); n >= 0 {
				err = f(field, append(make([]byte, 0, 1), value...), 0)
			}
		default:
			n = protowire.ConsumeFieldValue(field, kind, content)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err != nil {
			return err
		}
		content = content[n:]
	}
	return nil
}
