package flatparquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is an older name, which files still have: of a dictionary for Plain, of indices for RLEDictionary.
const plainDictionary format.Encoding = 2

var errCount = errors.New("more values than its page can have")

// checkValues finds counts and lengths in encoded values that would take more than most values or bytes.
func checkValues(encoding format.Encoding, data []byte, most int64) error {
	switch encoding {
	case format.Plain, format.ByteStreamSplit: // values stand there themselves
		return nil
	case plainDictionary, format.RLEDictionary:
		if len(data) == 0 {
			return nil
		}
		return checkRuns(data[1:], int64(data[0]), most)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray: // whose lengths must be of bytes that follow
		_, err := deltaLength(data, most)
		return err
	case format.DeltaByteArray:
		return checkPrefixes(data, most)
	}
	return fmt.Errorf("values encoded as %v, which is not for values of one a row", encoding)
}

// checkRuns looks at the runs of values of so many bits of Parquet's hybrid of run lengths and packed bits.
func checkRuns(data []byte, bits, most int64) error {
	const widest = 32
	if bits > widest {
		return fmt.Errorf("runs of values of %d bits", bits)
	}
	total := int64(0)
	for len(data) > 0 {
		header, n := binary.Uvarint(data)
		if n <= 0 {
			return fmt.Errorf("%w: within a run", io.ErrUnexpectedEOF)
		}
		data = data[n:]
		count, bytes := int64(header>>1), (bits+7)/8
		if count > most {
			return fmt.Errorf("%w: a run of %d", errCount, count)
		}
		if header&1 == 1 { // groups of 8 packed values
			count, bytes = 8*count, count*bits
		} else if count == 0 && bits > 0 {
			bytes = 0 // parquet-go goes on at once
		}
		if total += count; total > most {
			return fmt.Errorf("%w: %d", errCount, total)
		}
		data = data[min(bytes, int64(len(data))):]
	}
	return nil
}

// deltaLength returns where DELTA_BINARY_PACKED with at most this many values ends in data.
func deltaLength(data []byte, most int64) (length int, err error) {
	rest := data
	number := func() (n uint64) {
		n, size := binary.Uvarint(rest)
		if size <= 0 {
			err = fmt.Errorf("%w: within a block of differences", io.ErrUnexpectedEOF)
			size = 0
		}
		rest = rest[size:]
		return n
	}
	block, parts, stated := number(), number(), number()
	_ = number() // the first value, in zigzag
	const largest = 1 << 20
	switch {
	case err != nil:
		return 0, err
	case stated > uint64(most):
		return 0, fmt.Errorf("%w: %d differences", errCount, stated)
	case block > largest || parts == 0 || block/parts == 0 || block/parts%8 != 0:
		return 0, fmt.Errorf("blocks of %d differences in %d parts", block, parts)
	}
	for left := int64(stated) - 1; left > 0; { // the first value is in the head
		if number(); err != nil { // the least difference
			return 0, err
		}
		widths := rest[:min(uint64(len(rest)), parts)]
		rest = rest[len(widths):]
		if len(widths) == 0 {
			return 0, fmt.Errorf("%w: within a block of differences", io.ErrUnexpectedEOF)
		}
		for _, width := range widths {
			if left <= 0 {
				break
			}
			rest = rest[min(uint64(len(rest)), block/parts*uint64(width)/8):]
			left -= int64(block / parts)
		}
	}
	return len(data) - len(rest), nil
}

// checkPrefixes looks at DELTA_BYTE_ARRAY: lengths of what each text shares with the one before it, and of the rest.
// All texts together must have at most so many bytes.
func checkPrefixes(data []byte, most int64) error {
	var lengths [2][]int32
	for i := range lengths {
		end, err := deltaLength(data, most)
		if err != nil {
			return err
		}
		if lengths[i], err = new(delta.BinaryPackedEncoding).DecodeInt32(nil, slices.Clone(data)); err != nil {
			return err
		}
		data = data[end:]
	}
	if len(lengths[0]) != len(lengths[1]) {
		return fmt.Errorf("%d prefixes of %d texts", len(lengths[0]), len(lengths[1]))
	}
	bytes, before := int64(0), int64(0)
	for i, prefix := range lengths[0] {
		rest := lengths[1][i]
		if prefix < 0 || rest < 0 || int64(prefix) > before {
			return fmt.Errorf("a text that begins with %d bytes of one of %d", prefix, before)
		}
		before = int64(prefix) + int64(rest)
		if bytes += before; bytes > most {
			return fmt.Errorf("%w: texts of %d bytes", errCount, bytes)
		}
	}
	return nil
}
