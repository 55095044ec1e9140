package table_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// TestManyEdgesAndTimes reads rows that each have an edge and a time of their own: all pairs of both are more than the
// series may hold, which is found out before memory is taken for them.
func TestManyEdgesAndTimes(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("time,source,destination,weight\n")
	for k := range 20_000 {
		fmt.Fprintf(&rows, "%d,%d,%d,1\n", k, k, k+1)
	}
	c, _ := small(write(t, "edges.csv", rows.String()), "")
	c.Nodes = table.Nodes{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := table.Read(context.Background(), c)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "more than 268435456 values in 16385 snapshots so far") {
		t.Error(err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 512<<20 {
		t.Errorf("%d MiB were taken before the error, want at most 512", taken>>20)
	}
}

// TestLongNames stops at names that take more than a series may hold, though it has few edges and times.
func TestLongNames(t *testing.T) {
	rows := "time,source,destination,weight\n"
	for k := range 100 {
		rows += fmt.Sprintf("0,%d%s,b,1\n", k, strings.Repeat("x", 10_000))
	}
	c, _ := small(write(t, "edges.csv", rows), "")
	c.Nodes, c.MaxValues = table.Nodes{}, 1000
	var at *table.Error
	if _, err := table.Read(context.Background(), c); !errors.As(err, &at) || at.Line == 0 ||
		!errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "more than 1000 values in 1 snapshots") {
		t.Error(err)
	}
}

func TestTooLargeIs(t *testing.T) {
	c, _ := small(write(t, "edges.csv", goodEdges), write(t, "nodes.csv", goodNodes))
	c.MaxBytes = 10
	if _, err := table.Read(context.Background(), c); !errors.Is(err, dyngraph.ErrTooLarge) {
		t.Errorf("%v does not wrap ErrTooLarge", err)
	}
}
