package flatparquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// unpack is a page without compression, of a size that it states. Memory is taken as the content grows, or where the
// codec says how many bytes a packed one can be at most.
func unpack(codec format.CompressionCodec, packed []byte, size int) (content []byte, err error) {
	const snappyMost, lz4Most = 64, 255 // bytes that a byte stands for
	switch codec {
	case format.Uncompressed:
		content = packed
	case format.Snappy:
		var length int
		if length, err = snappy.DecodedLen(packed); err == nil && length == size && size <= snappyMost*len(packed) {
			content, err = snappy.Decode(nil, packed)
		}
	case format.Lz4Raw:
		if size <= lz4Most*len(packed) {
			content = make([]byte, size)
			var n int
			n, err = lz4.UncompressBlock(packed, content)
			content = content[:max(n, 0)]
		}
	case format.Gzip:
		content, err = unpackStream(packed, bounded.Gzip, size)
	case format.Zstd:
		content, err = unpackStream(packed, bounded.Zstd, size)
	case format.Brotli:
		content, err = io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(packed)), int64(size)+1))
	default:
		return nil, fmt.Errorf("a page packed by %v, which is not read here", codec)
	}
	if err != nil && !errors.Is(err, bounded.ErrTooLarge) {
		return nil, err
	}
	if len(content) != size {
		return nil, fmt.Errorf("a page that is not of the %d bytes that it states", size)
	}
	return content, nil
}

// unpackStream returns one byte more than size where there are more.
func unpackStream(packed []byte, how bounded.Packing, size int) ([]byte, error) {
	return bounded.ReadAll(bytes.NewReader(packed), how, bounded.Limit{Bytes: int64(size) + 1})
}
