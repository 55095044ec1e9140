package flatparquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// claims passes over a value in Thrift's compact protocol and finds lengths that the bytes after them cannot hold,
// structs that are nested without end, and lists that would take too much memory.
type claims struct {
	r    thrift.BytesReader
	size int
	// memory is what lists may still take, in bytes.
	memory int64
}

// What an element of a list takes at most when it is decoded, in bytes: the largest struct of a footer is a column
// chunk, of which parquet-go also keeps a pointer and a wrapper; the others are texts.
const (
	structMemory  = 1 << 10
	elementMemory = 32
	// mostNested is how deep structs and lists may lie in each other; a footer nests them 8 deep.
	mostNested = 32
)

// structLength is the length of the struct that content begins with. It returns [io.ErrUnexpectedEOF] where content
// ends before it.
func structLength(content []byte, memory int64) (int, error) {
	c := &claims{r: new(thrift.CompactProtocol).NewReaderFromBytes(content), size: len(content), memory: memory}
	err := c.value(thrift.STRUCT, 0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return c.r.BytesRead(), err
}

// value passes over one of a type, which is no bool of a struct.
func (c *claims) value(of thrift.Type, depth int) (err error) {
	if depth > mostNested {
		return fmt.Errorf("values that are nested more than %d deep", mostNested)
	}
	switch of {
	case thrift.TRUE, thrift.BOOL:
		_, err = c.r.ReadBool()
	case thrift.I8:
		_, err = c.r.ReadInt8()
	case thrift.I16:
		_, err = c.r.ReadInt16()
	case thrift.I32:
		_, err = c.r.ReadInt32()
	case thrift.I64:
		_, err = c.r.ReadInt64()
	case thrift.DOUBLE:
		_, err = c.r.ReadFloat64()
	case thrift.BINARY:
		_, err = c.r.ReadBytes() // a part of the content
	case thrift.UUID:
		if _, err = c.r.ReadFloat64(); err == nil {
			_, err = c.r.ReadFloat64()
		}
	case thrift.LIST, thrift.SET:
		var list thrift.List
		if list, err = c.r.ReadList(); err == nil {
			err = c.elements(int(list.Size), depth, list.Type)
		}
	case thrift.MAP:
		var entries thrift.Map
		if entries, err = c.r.ReadMap(); err == nil {
			err = c.elements(int(entries.Size), depth, entries.Key, entries.Value)
		}
	case thrift.STRUCT:
		err = c.fields(depth)
	default:
		err = fmt.Errorf("a value of type %d, which Thrift does not have", of)
	}
	return err
}

// fields skips the fields of a struct.
func (c *claims) fields(depth int) error {
	for {
		field, err := c.r.ReadField()
		switch {
		case err != nil:
			return err
		case field.Type == thrift.STOP:
			return nil
		case field.Type == thrift.TRUE || field.Type == thrift.FALSE: // the type is the value
			continue
		}
		if err := c.value(field.Type, depth+1); err != nil {
			return err
		}
	}
}

// elements passes over so many times a value of each type. Each takes a byte at least.
func (c *claims) elements(count, depth int, types ...thrift.Type) error {
	each := int64(elementMemory)
	for _, of := range types {
		if of == thrift.STRUCT {
			each = structMemory
		}
	}
	if left := c.size - c.r.BytesRead(); count < 0 || count > left {
		return fmt.Errorf("%w: a list of %d, with %d bytes after it", io.ErrUnexpectedEOF, count, left)
	}
	if needs := each * int64(count); needs > c.memory {
		return &LimitError{fmt.Sprintf("a list of %d", count), needs, c.memory}
	}
	c.memory -= each * int64(count)
	for range count {
		for _, of := range types {
			if err := c.value(of, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
