package flatparquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/flatparquet"
)

// row has each encoding that is read, and columns that may lack values.
type row struct {
	Plain   int64
	Packed  int64   `parquet:",delta"`
	Named   string  `parquet:",dict"`
	Text    string  `parquet:",plain"`
	Lengths string  `parquet:",delta"`
	Prefix  []byte  `parquet:",delta"`
	Split   float64 `parquet:",split"`
	Maybe   *int32  `parquet:",dict"`
	Rarely  *string
	Nested  struct{ A, B int64 }
	Last    float32
}

func rowsOf(n int) (rows []row) {
	for i := range n {
		r := row{Plain: int64(i), Packed: int64(i * i), Named: fmt.Sprint("n", i%7), Text: strings.Repeat("x", i%5),
			Lengths: fmt.Sprint("length ", i), Prefix: fmt.Appendf(nil, "prefix-%06d", i), Split: float64(i) / 3,
			Last: float32(-i)}
		if i%3 == 0 {
			v := int32(i / 3)
			r.Maybe = &v
		}
		if i%11 == 0 {
			v := fmt.Sprint("rare", i)
			r.Rarely = &v
		}
		rows = append(rows, r)
	}
	return rows
}

func written[R any](t testing.TB, rows []R, options ...parquet.WriterOption) []byte {
	t.Helper()
	var content bytes.Buffer
	w := parquet.NewGenericWriter[R](&content, options...)
	_, err := w.Write(rows)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

const mebibyte = 1 << 20

// read returns columns row by row, of pages that unpack to 8 times the memory at most.
func read(content []byte, memory int64, names ...string) (rows [][]string, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("panic: %v", thrown)
		}
	}()
	budget, err := bounded.Limit{Bytes: 8 * memory, Option: "MaxBytes"}.Budget()
	if err != nil {
		return nil, err
	}
	f, err := flatparquet.Open(bytes.NewReader(content), int64(len(content)),
		flatparquet.Limits{Memory: memory, Unpacked: budget})
	if err != nil {
		return nil, err
	}
	var at []int
	for _, name := range names {
		for i, other := range f.Names() {
			if other == name {
				at = append(at, i)
			}
		}
	}
	selected, err := f.Select(at...)
	if err != nil {
		return nil, err
	}
	for _, group := range selected.RowGroups() {
		reader, buffer := group.Rows(), make([]parquet.Row, 100)
		for err == nil {
			var n int
			n, err = reader.ReadRows(buffer)
			for _, r := range buffer[:n] {
				var texts []string
				for _, v := range r {
					texts = append(texts, v.String())
				}
				rows = append(rows, texts)
			}
		}
		if err == io.EOF {
			err = nil
		}
		if err := errors.Join(f.Err(), err, reader.Close()); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// Every codec, version of pages and encoding is read as parquet-go writes it, in any order of columns.
func TestSelect(t *testing.T) {
	const count = 1000
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd,
		&parquet.Brotli, &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			content := written(t, rowsOf(count), parquet.Compression(codec), parquet.DataPageVersion(version),
				parquet.PageBufferSize(2000), parquet.MaxRowsPerRowGroup(300))
			rows, err := read(content, 8*mebibyte, "Last", "Plain", "Packed", "Named", "Text", "Lengths", "Prefix", "Split",
				"Maybe", "Rarely")
			if err != nil || len(rows) != count {
				t.Fatalf("%v, version %d: %d rows, %v", codec, version, len(rows), err)
			}
			for i, r := range rowsOf(count) {
				maybe, rarely := "<null>", "<null>"
				if r.Maybe != nil {
					maybe = fmt.Sprint(*r.Maybe)
				}
				if r.Rarely != nil {
					rarely = *r.Rarely
				}
				want := []string{fmt.Sprint(r.Last), fmt.Sprint(r.Plain), fmt.Sprint(r.Packed), r.Named, r.Text, r.Lengths,
					string(r.Prefix), fmt.Sprint(r.Split), maybe, rarely}
				if got := rows[i]; fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%v, version %d, row %d: %q, want %q", codec, version, i, got, want)
				}
			}
		}
	}
}

// footed is a file of some content and a footer.
func footed(content string, footer []byte) []byte {
	file := append([]byte("PAR1"+content), footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// page is one in the compact protocol.
func page(t *testing.T, h format.PageHeader, content string) string {
	t.Helper()
	head, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
	if err != nil {
		t.Fatal(err)
	}
	return string(head) + content
}

// alone is a file of one column and one group of rows that has these pages.
func alone(t *testing.T, kind format.Type, codec format.CompressionCodec, repetition format.FieldRepetitionType,
	pages string) []byte {
	t.Helper()
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{Version: 1, NumRows: 1,
		Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(1))},
			{Name: "x", Type: thrift.New(kind), RepetitionType: thrift.New(repetition)}},
		RowGroups: []format.RowGroup{{NumRows: 1, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: kind, PathInSchema: []string{"x"}, Codec: codec, DataPageOffset: 4, NumValues: 1,
			TotalCompressedSize: int64(len(pages))}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return footed(pages, footer)
}

// uvarints are numbers as footers and encodings have them.
func uvarints(numbers ...uint64) (text string) {
	for _, n := range numbers {
		text += string(binary.AppendUvarint(nil, n))
	}
	return text
}

// data is a page of one value in the first form.
func data(t *testing.T, encoding format.Encoding, content string) string {
	return page(t, format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(len(content)),
		UncompressedPageSize: int32(len(content)), DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1,
			Encoding: encoding, DefinitionLevelEncoding: format.RLE})}, content)
}

// What a file claims is not believed: each of these would make parquet-go ask for memory that ends the process, or do
// so without end.
func TestClaims(t *testing.T) {
	const required, optional = format.Required, format.Optional
	length := binary.LittleEndian.AppendUint32
	dictionary := page(t, format.PageHeader{Type: format.DictionaryPage, CompressedPageSize: 8, UncompressedPageSize: 8,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 1})}, "12345678")
	deep := make([]format.SchemaElement, 3000)
	for i := range deep {
		deep[i] = format.SchemaElement{Name: "g", NumChildren: thrift.New(int32(1))}
	}
	deep[len(deep)-1] = format.SchemaElement{Name: "x", Type: thrift.New(format.Int64)}
	deepFooter, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{Version: 1, Schema: deep})
	if err != nil {
		t.Fatal(err)
	}
	claim := func(size, unpacked, values int32, content string) string {
		return page(t, format.PageHeader{Type: format.DataPage, CompressedPageSize: size, UncompressedPageSize: unpacked,
			DataPageHeader: thrift.New(format.DataPageHeader{NumValues: values})}, content)
	}
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"a list of 2^31 columns": {footed("", []byte("\x15\x02\x19\xfc"+uvarints(1<<31-1)+"\x00\x00\x00")),
			"a list of 2147483647"},
		"a long text": {footed("", []byte("\x15\x02\x28"+uvarints(1<<31-1)+"x\x00")), "unexpected EOF"},
		"many small columns": {footed("", []byte("\x15\x02\x19\xfc"+uvarints(20_000)+strings.Repeat("\x00", 20_001))),
			"a list of 20000, which takes 20480000 bytes or more where 8388608 are allowed"},
		"structs within structs": {footed("", []byte(strings.Repeat("\x1c", 1<<20))), "nested more than 32 deep"},
		"lists within lists":     {footed("", []byte("\x19"+strings.Repeat("\x19", 1<<20))), "nested more than 32 deep"},
		"groups within groups":   {footed("", deepFooter), ""},
		"a long page": {alone(t, format.Int64, format.Uncompressed, required, claim(math.MaxInt32, 8, 1, "12345678")),
			"where 8 follow"},
		"a page that unpacks to much": {alone(t, format.Int64, format.Snappy, required,
			claim(8, math.MaxInt32, 1, "12345678")), "a page of 1 values, which takes 4294967307 bytes"},
		"a page of many values": {alone(t, format.ByteArray, format.Uncompressed, required,
			claim(8, 8, math.MaxInt32, "12345678")), "a page of 2147483647 values, which takes"},
		"Snappy of another size": {alone(t, format.Int64, format.Snappy, required, claim(9, 8, 1, uvarints(1<<20)+"123456")),
			"not of the 8 bytes that it states"},
		"LZ4 that is damaged": {alone(t, format.Int64, format.Lz4Raw, required, claim(8, 16, 1, "\xff2345678")), "lz4"},
		"an unknown codec":    {alone(t, format.Int64, format.LZO, required, claim(8, 8, 1, "12345678")), "packed by LZO"},
		"levels in a long run": {alone(t, format.Int64, format.Uncompressed, optional,
			data(t, format.Plain, string(length(nil, 6))+uvarints(math.MaxInt32<<1)+"\x01")), "a run of 2147483647"},
		"levels in many runs": {alone(t, format.Int64, format.Uncompressed, optional,
			data(t, format.Plain, string(length(nil, 4*1000))+strings.Repeat(uvarints(1_000_000<<1)+"\x01", 1000))),
			"more values than its page can have"},
		"levels of another length": {alone(t, format.Int64, format.Uncompressed, optional,
			data(t, format.Plain, string(length(nil, 1<<30))+"\x01")), "levels of 1073741824 bytes"},
		"indices in a long run": {alone(t, format.Int64, format.Uncompressed, required,
			dictionary+data(t, format.RLEDictionary, "\x01"+uvarints(math.MaxInt32<<1)+"\x00")), "a run of 2147483647"},
		"indices of no bits": {alone(t, format.Int64, format.Uncompressed, required,
			dictionary+data(t, format.RLEDictionary, "\x00"+uvarints(math.MaxInt32<<1|1))), "a run of 2147483647"},
		"indices without a dictionary": {alone(t, format.Int64, format.Uncompressed, required,
			data(t, format.RLEDictionary, "\x01\x02\x00")), "without a dictionary"},
		"many differences": {alone(t, format.Int64, format.Uncompressed, required,
			data(t, format.DeltaBinaryPacked, uvarints(128, 4, math.MaxInt32, 0))), "2147483647 differences"},
		"many lengths": {alone(t, format.ByteArray, format.Uncompressed, required,
			data(t, format.DeltaLengthByteArray, uvarints(128, 4, math.MaxInt32, 0))), "2147483647 differences"},
		"many prefixes": {alone(t, format.ByteArray, format.Uncompressed, required,
			data(t, format.DeltaByteArray, uvarints(128, 4, 1, 0, 128, 4, math.MaxInt32, 0))), "2147483647 differences"},
		"a long text with a prefix": {alone(t, format.ByteArray, format.Uncompressed, required,
			data(t, format.DeltaByteArray, uvarints(128, 4, 1, 0, 128, 4, 1, 1<<31))), "texts of 1073741824 bytes"},
		"an unknown encoding": {alone(t, format.Int64, format.Uncompressed, required,
			data(t, format.RLE, "\x00\x00\x00\x00")), "not for values of one a row"},
		"a header without end": {alone(t, format.Int64, format.Uncompressed, required, strings.Repeat("\x15\x02", 1<<20)),
			"the header of a page"},
		"a chunk beyond the file": {bytes.Replace(alone(t, format.Int64, format.Uncompressed, required,
			strings.Repeat("x", 1000)), []byte(uvarints(2000)), []byte(uvarints(9000)), 1), "in a file of"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, err := read(c.file, 8*mebibyte, "x")
		runtime.ReadMemStats(&after)
		if err == nil && c.says != "" || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d rows, %v, want %q", name, len(rows), err, c.says)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 64*mebibyte {
			t.Errorf("%s: %d MiB were taken", name, taken/mebibyte)
		}
	}
}

// All pages together unpack to no more than is allowed.
func TestUnpackedBudget(t *testing.T) {
	content := written(t, make([]struct {
		X int64 `parquet:",plain"`
	}, 1_500_000), parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(mebibyte/8))
	if _, err := read(content, mebibyte, "X"); len(content) > mebibyte || !errors.Is(err, bounded.ErrTooLarge) ||
		!strings.Contains(err.Error(), "MaxBytes") {
		t.Errorf("%d bytes: %v, want that they unpack to more than is allowed", len(content), err)
	}
}
