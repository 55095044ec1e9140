package csvrows_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/csvrows"
)

func TestRows(t *testing.T) {
	r := csvrows.New(strings.NewReader("\ufeffa;b\r\n\n1;\"x; \"\"y\"\"\nz\"\n 2; w\n"), ';', true)
	for _, want := range []struct {
		line  int
		cells []string
	}{{1, []string{"a", "b"}}, {3, []string{"1", "x; \"y\"\nz"}}, {5, []string{"2", "w"}}} {
		cells, err := r.Next()
		if err != nil || r.Line() != want.line || !slices.Equal(cells, want.cells) {
			t.Errorf("line %d: %q (%v), want line %d: %q", r.Line(), cells, err, want.line, want.cells)
		}
	}
	if cells, err := r.Next(); err != io.EOF {
		t.Errorf("after the last: %q, %v", cells, err)
	}
}

var errDisk = errors.New("disk on fire")

func TestFaults(t *testing.T) {
	endless := func(row string) io.Reader {
		return io.MultiReader(strings.NewReader("a,b\n1,2\n3,"), strings.NewReader(strings.Repeat(row, 17<<20/len(row))))
	}
	for _, c := range []struct {
		name string
		text io.Reader
		line int
		says string
	}{
		{"a field too few", strings.NewReader("a,b\n1,2\n3\n"), 3, "found 1 cells, want 2 as in the first line"},
		{"a field too many", strings.NewReader("a,b\n1,2,3\n"), 2, "found 3 cells, want 2"},
		{"open quote", strings.NewReader("a,b\n1,\"2\n3,4\n"), 2,
			"a quote that is not closed, or text after it (line 3, byte 5)"},
		{"text after a quote", strings.NewReader("a,b\n1,\"2\"3\n"), 2, "or text after it (line 2, byte 5)"},
		{"quote within", strings.NewReader("a,b\n1,2\"3\n"), 2, "a quote within a cell (line 2, byte 4)"},
		{"endless row", endless("xxxxxxxx"), 3, "found a row of more than 16 MiB"},
		{"endless quote", io.MultiReader(strings.NewReader("a,b\n1,2\n3,\""),
			strings.NewReader(strings.Repeat("x\n", 17<<19))),
			3, "found a row of more than 16 MiB"},
	} {
		r := csvrows.New(c.text, ',', false)
		var err error
		for err == nil {
			_, err = r.Next()
		}
		var fault *csvrows.Fault
		if !errors.As(err, &fault) || fault.Line != c.line || r.Line() != c.line || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (line %d), want one of line %d that says %q", c.name, err, r.Line(), c.line, c.says)
		}
	}
	r := csvrows.New(io.MultiReader(strings.NewReader("a,b\n1,2\n3,"), broken{}), ',', false)
	var err error
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, errDisk) || r.Line() != 3 {
		t.Errorf("%v in line %d, want that of the text in line 3", err, r.Line())
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errDisk }
