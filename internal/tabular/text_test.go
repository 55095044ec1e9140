package tabular

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

func TestFormat(t *testing.T) {
	for v, want := range map[float64]string{1584576061: "1584576061", 1584576061123456: "1584576061123456",
		4.233333333333333: "4.233333333333333", 0: "0", -0.5: "-0.5", 1e-7: "1e-07", 1e300: "1e+300",
		math.NaN(): "NaN"} {
		if got := FormatNumber(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
	at := time.Date(2020, 3, 31, 18, 30, 0, 123456000, time.UTC)
	if got := FormatTime(at, false); got != "2020-03-31T18:30:00.123456Z" {
		t.Errorf("time %s", got)
	}
	if got := FormatTime(at, true); got != "2020-03-31" {
		t.Errorf("date %s", got)
	}
}

// Files keep the microseconds of a time.
func TestMicroseconds(t *testing.T) {
	at := time.Date(2020, 3, 31, 18, 30, 0, 123456000, time.UTC)
	table := Table{Columns: []Column{Moment("at")}, Rows: slices.Values([][]any{{at}})}
	var text, packed bytes.Buffer
	if err := WriteCSV(&text, table); err != nil || text.String() != "at\n2020-03-31T18:30:00.123456Z\n" {
		t.Errorf("%v: %q", err, text.String())
	}
	if err := WriteParquet(&packed, table); err != nil {
		t.Fatal(err)
	}
	type row struct {
		At time.Time `parquet:"at,timestamp(microsecond),optional"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil || len(rows) != 1 || !rows[0].At.Equal(at) {
		t.Errorf("%v: %v, want %v", err, rows, at)
	}
}
