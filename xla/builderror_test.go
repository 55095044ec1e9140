package xla

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/panics"
)

// An error that stops a graph from being built is one line: the function's own error unchanged, or the file and line
// where Go's runtime or GoMLX raised it.
func TestBuildErrors(t *testing.T) {
	backend, err := Open(Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	x := tensors.FromValue([]float64{1, 2.5})
	defer Free(x)
	none := []int{}
	for _, c := range []struct {
		name, says string
		build      func(x *graph.Node)
		placed     bool
	}{
		{"error", "no field: EOF", func(*graph.Node) { panic(fmt.Errorf("no field: %w", io.EOF)) }, false},
		{"index", "index out of range [3] with length 0", func(x *graph.Node) { none[x.Rank()+2]++ }, true},
		{"nil node", "Node is nil", func(*graph.Node) { graph.Square(nil) }, true},
		{"shapes", "Add", func(x *graph.Node) { graph.Add(x, graph.Const(x.Graph(), []float64{1, 2, 3})) }, true},
		{"text", "panic: in words", func(*graph.Node) { panic("in words") }, true},
		{"nested", "EOF", func(*graph.Node) { panic(panics.Catch(func() { panic(io.EOF) })) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, err := NewProgram(backend, "trial", func(in []*graph.Node) []*graph.Node {
				c.build(in[0])
				return in
			})
			if err != nil {
				t.Fatal(err)
			}
			defer program.Close()
			_, err = program.Call(x)
			var build *BuildError
			if !errors.As(err, &build) || build.Program != "trial" {
				t.Fatalf("got %v, want a BuildError of the program", err)
			}
			text := err.Error()
			if !strings.Contains(text, c.says) || !strings.HasSuffix(text, `(while building program "trial")`) ||
				strings.Contains(text, "\n") {
				t.Errorf("%q, want one line that says %q", text, c.says)
			}
			var panicked *panics.Error
			if got := errors.As(err, &panicked); got != c.placed ||
				got != strings.Contains(text, "builderror_test.go:") {
				t.Fatalf("%q: Panic %v, want %v, with its position", text, got, c.placed)
			}
			var fault runtime.Error
			if (c.name == "index") != errors.As(err, &fault) {
				t.Errorf("%v: a runtime error %v", err, fault)
			}
			if !c.placed && !errors.Is(err, io.EOF) {
				t.Errorf("%v, want io.EOF inside", err)
			}
			if long := fmt.Sprintf("%+v", err); strings.Contains(long, "TestBuildErrors") != c.placed {
				t.Errorf("%%+v is %q, want the stack: %v", long, c.placed)
			}
			if short := fmt.Sprintf("%v", err); short != text {
				t.Errorf("%%v is %q, want %q", short, text)
			}
		})
	}
}
