package flatparquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// mostHeader is how many bytes the header of a page may have, statistics of long texts among them.
const mostHeader = 16 << 20

// chunk reads a column of a group of rows as pages that are checked and not compressed.
type chunk struct {
	limits   Limits
	codec    format.CompressionCodec
	optional bool

	left       *bufio.Reader // the rest of the chunk
	bytes      int64         // number of bytes in left
	dictionary bool          // a dictionary was read

	page []byte // the unread rest of the last page
	at   int64  // number of bytes read of all pages
	done bool   // all pages were read
}

// open is a chunk from its beginning.
func (f *File) open(s source) (*chunk, error) {
	from, m := s.chunk, &s.chunk.MetaData
	if len(from.EncryptedColumnMetadata) > 0 || from.CryptoMetadata.Value != nil {
		return nil, errors.New("a column that is encrypted")
	}
	start := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		start = m.DictionaryPageOffset
	}
	if start < 0 || m.TotalCompressedSize < 0 || start > f.size || m.TotalCompressedSize > f.size-start {
		return nil, fmt.Errorf("pages of %d bytes from byte %d on in a file of %d", m.TotalCompressedSize, start, f.size)
	}
	return &chunk{limits: f.limits, codec: m.Codec, optional: s.optional,
		left: bufio.NewReader(io.NewSectionReader(f.r, start, m.TotalCompressedSize)), bytes: m.TotalCompressedSize}, nil
}

// Read reads from pages.
func (c *chunk) Read(into []byte) (int, error) {
	for len(c.page) == 0 {
		if c.bytes == 0 {
			c.done = true
			return 0, io.EOF
		}
		header, content, err := c.next()
		if err != nil {
			return 0, noEOF(err)
		}
		if header == nil {
			continue
		}
		header.CompressedPageSize, header.UncompressedPageSize = int32(len(content)), int32(len(content))
		if c.page, err = thrift.Marshal(new(thrift.CompactProtocol), header); err != nil {
			return 0, err
		}
		c.page = append(c.page, content...)
	}
	n := copy(into, c.page)
	c.page, c.at = c.page[n:], c.at+int64(n)
	return n, nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// next is a page without compression; nil for one that is to be passed over.
func (c *chunk) next() (*format.PageHeader, []byte, error) {
	h, err := c.header()
	if err != nil {
		return nil, nil, err
	}
	body := make([]byte, h.CompressedPageSize) // which the chunk has
	if _, err := io.ReadFull(c.left, body); err != nil {
		return nil, nil, err
	}
	c.bytes -= int64(len(body))
	if sum := crc32.ChecksumIEEE(body); h.CRC != 0 && uint32(h.CRC) != sum {
		return nil, nil, fmt.Errorf("a page with the checksum %08x, not %08x", sum, uint32(h.CRC))
	}
	bare := &format.PageHeader{Type: h.Type}
	switch h.Type {
	case format.DictionaryPage:
		if c.dictionary { // parquet-go passes over another too
			return nil, nil, nil
		}
		c.dictionary = true
		bare.DictionaryPageHeader = h.DictionaryPageHeader
		body, err = c.dictionaryPage(h, body)
	case format.DataPage:
		bare.DataPageHeader = h.DataPageHeader
		bare.DataPageHeader.V.Statistics = format.Statistics{}
		body, err = c.dataV1(h, body)
	case format.DataPageV2:
		bare.DataPageHeaderV2 = h.DataPageHeaderV2
		bare.DataPageHeaderV2.V.Statistics = format.Statistics{}
		body, err = c.dataV2(h, body)
	default:
		return nil, nil, nil
	}
	return bare, body, err
}

// header reads one, and checks that what it states fits the chunk and the limits.
func (c *chunk) header() (*format.PageHeader, error) {
	content, length := []byte(nil), 0
	for size := 1 << 10; ; size *= 4 {
		var err error
		if content, err = c.peek(size); err != nil {
			return nil, err
		}
		length, err = structLength(content, c.limits.Memory)
		if err == nil {
			break
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(content) < size || size >= mostHeader {
			return nil, fmt.Errorf("the header of a page: %w", err)
		}
	}
	h := new(format.PageHeader)
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), content[:length], h); err != nil {
		return nil, err
	}
	if _, err := c.left.Discard(length); err != nil {
		return nil, err
	}
	c.bytes -= int64(length)
	values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
	if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > c.bytes || h.UncompressedPageSize < 0 {
		return nil, fmt.Errorf("a page of %d bytes, %d when unpacked, where %d follow", h.CompressedPageSize,
			h.UncompressedPageSize, c.bytes)
	}
	// A value takes a level of a byte, an index into a dictionary of 4, and an offset of 4 into texts or a number of 8.
	// Content is here and in parquet-go.
	const each, copies = 1 + 4 + 8, 2
	if needs := copies*int64(h.UncompressedPageSize) + each*int64(values); needs > c.limits.Memory {
		return nil, &LimitError{fmt.Sprintf("a page of %d values", values), needs, c.limits.Memory}
	}
	return h, c.limits.Unpacked.Take(int64(h.UncompressedPageSize))
}

// peek is what the chunk has next, of a size or up to its end.
func (c *chunk) peek(size int) ([]byte, error) {
	size = int(min(int64(size), c.bytes))
	if size > c.left.Size() {
		c.left = bufio.NewReaderSize(c.left, size)
	}
	return c.left.Peek(size)
}

// mostValues is how many values a page may have, as its header is checked for too, and how many bytes texts that share
// their beginnings.
func (c *chunk) mostValues() int64 { return c.limits.Memory / 8 }

func (c *chunk) dictionaryPage(h *format.PageHeader, body []byte) ([]byte, error) {
	content, err := unpack(c.codec, body, int(h.UncompressedPageSize))
	if encoding := h.DictionaryPageHeader.V.Encoding; err == nil && encoding != format.Plain &&
		encoding != plainDictionary {
		err = fmt.Errorf("a dictionary encoded as %v", encoding)
	}
	return content, err
}

// checkData looks at the values of a page.
func (c *chunk) checkData(encoding format.Encoding, data []byte) error {
	if (encoding == plainDictionary || encoding == format.RLEDictionary) && !c.dictionary {
		return errors.New("a page of indices without a dictionary before it")
	}
	return checkValues(encoding, data, c.mostValues())
}

func (c *chunk) dataV1(h *format.PageHeader, body []byte) ([]byte, error) {
	content, err := unpack(c.codec, body, int(h.UncompressedPageSize))
	if err != nil {
		return nil, err
	}
	d, data := &h.DataPageHeader.V, content
	if c.optional {
		const prefix = 4
		if len(data) < prefix {
			return nil, io.ErrUnexpectedEOF
		}
		length := int64(binary.LittleEndian.Uint32(data))
		if length > int64(len(data)-prefix) {
			return nil, fmt.Errorf("levels of %d bytes in a page of %d", length, len(data))
		}
		if d.DefinitionLevelEncoding == format.RLE {
			if err := checkRuns(data[prefix:prefix+length], 1, c.mostValues()); err != nil {
				return nil, err
			}
		}
		data = data[prefix+length:]
	}
	return content, c.checkData(d.Encoding, data)
}

func (c *chunk) dataV2(h *format.PageHeader, body []byte) ([]byte, error) {
	d := &h.DataPageHeaderV2.V
	repetition, definition := int64(d.RepetitionLevelsByteLength), int64(d.DefinitionLevelsByteLength)
	levels := repetition + definition
	if repetition < 0 || definition < 0 || levels > int64(len(body)) || levels > int64(h.UncompressedPageSize) ||
		d.NumNulls < 0 || d.NumNulls > d.NumValues {
		return nil, fmt.Errorf("%d bytes of levels and %d nulls in a page of %d bytes and %d values", levels, d.NumNulls,
			len(body), d.NumValues)
	}
	if err := checkRuns(body[repetition:levels], 1, c.mostValues()); c.optional && err != nil {
		return nil, err
	}
	codec := c.codec
	if d.IsCompressed.Valid && !d.IsCompressed.V {
		codec = format.Uncompressed
	}
	data, err := unpack(codec, body[levels:], int(h.UncompressedPageSize)-int(levels))
	if err == nil {
		err = c.checkData(d.Encoding, data)
	}
	return append(body[:levels:levels], data...), err
}
