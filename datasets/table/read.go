package table

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Data is a series that was read, with the recipe for reading later files.
type Data struct {
	Series *dyngraph.Series
	Recipe Recipe
}

// Read reads the files of a dynamic graph. Errors about files are an [*Error] with the position. All errors about
// content and configuration wrap [dyngraph.ErrInvalid]; if the context ends, the error wraps its error.
func Read(ctx context.Context, c Config) (*Data, error) {
	recipe := Recipe{Config: c.resolved()}
	r := &reader{c: recipe.Config, averages: c.Nodes.Aggregate == "" && c.Step != Step{}}
	r.clock.step = r.c.Step
	series, err := r.read(ctx, &recipe)
	if err != nil {
		return nil, err
	}
	recipe.Config = r.c // with names of columns
	recipe.Config.Edges.Path, recipe.Config.Nodes.Path = "", ""
	return &Data{series, recipe}, nil
}

// mostUnknown is the largest number of names kept for a message.
const mostUnknown = 1 << 12

// reader gathers the rows of both files.
type reader struct {
	c     Config
	clock clock
	// averages is whether values of a node in the same step are averaged though the configuration does not say so.
	averages bool

	snapshots     map[int64]int // the number of each that occurs, in the order in which they do
	bins          []int64
	lastBin       int64 // the one looked up last
	lastSnapshot  int
	ends          []instant // the last time of each in the file that is read, notYet where it has none
	edgesAt       []int     // the first row of each snapshot in the edges file, 0 where it has none
	nodesAt       []int
	edges, values grid
	sums          grid // over edges from and to a node, by feature of edges
	texts         grid // numbers of texts
	states        grid // of Nodes.Presence, by node
	textNames     []texts

	ids      map[string]int32 // nodes, in the order in which they occur
	names    []string
	inEdges  []bool // which file has the node
	inNodes  []bool
	seen     []int64 // the first step with a row or an edge of the node
	closed   bool    // no node may be added
	unknown  []string
	stranger map[string]bool
	firstBad *Error // where the first unknown node is

	edgeNumbers map[uint64]int32 // of pairs of nodes, in the order in which they occur
	from, to    []int32

	held int // what edges and names of nodes take, in numbers of 8 bytes

	notices []string
}

// What an edge and a node take while they are read, in numbers of 8 bytes: entries of tables, beside the node's name.
const (
	edgeHolds = 10
	nodeHolds = 16
	// leastHolds is what they may take in any case.
	leastHolds = 1 << 16
)

func (r *reader) read(ctx context.Context, recipe *Recipe) (*dyngraph.Series, error) {
	if err := r.c.check(); err != nil {
		return nil, err
	}
	r.clock.format = r.c.DateFormat
	r.clock.layout, _ = layoutOf(r.c.DateFormat) // checked
	r.snapshots, r.edgeNumbers, r.stranger = make(map[int64]int), make(map[uint64]int32), make(map[string]bool)
	if r.ids == nil {
		r.ids = make(map[string]int32)
	}
	if err := r.readEdges(ctx); err != nil {
		return nil, err
	}
	if r.c.Nodes.Path != "" {
		if err := r.readNodes(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.checkNumbers(); err != nil {
		return nil, err
	}
	r.noteZone()
	if len(r.unknown) > 0 {
		r.firstBad.Found = fmt.Sprintf("%d nodes that the model was not made for: %s", len(r.unknown), list(r.unknown))
		if len(r.unknown) == mostUnknown {
			r.firstBad.Found = "at least " + r.firstBad.Found
		}
		r.firstBad.Wanted = "its nodes: leave out rows of others, or fit a model to these files"
		return nil, r.firstBad
	}
	series, err := r.series(recipe)
	if err != nil {
		return nil, err
	}
	for _, notice := range r.notices {
		fmt.Fprintf(cmp.Or[io.Writer](r.c.Notices, os.Stderr), "datasets/table: %s\n", notice)
	}
	return series, nil
}

func (r *reader) notice(format string, args ...any) {
	r.notices = append(r.notices, fmt.Sprintf(format, args...))
}

// node is the number of a node; in a recipe, -1 for one that it does not know.
func (r *reader) node(p fileRow, column string, v cell) (int32, *Error) {
	if v.kind == textCell {
		if id, found := r.ids[v.text]; found {
			return id, nil
		}
	}
	name, ok := v.name()
	if !ok {
		return 0, p.fault(column, v.String(), "the name or the number of a node, in UTF-8 without NUL bytes")
	}
	if id, found := r.ids[name]; found {
		return id, nil
	}
	name = strings.Clone(name) // of a whole line
	if r.closed {
		if r.firstBad == nil {
			r.firstBad = p.fault(column, "", "")
		}
		if !r.stranger[name] && len(r.stranger) < mostUnknown {
			r.stranger[name] = true
			r.unknown = append(r.unknown, name)
		}
		return -1, nil
	}
	id := int32(len(r.names))
	if id == math.MaxInt32-1 {
		return 0, p.fault(column, "more than 2^31-2 nodes", "fewer")
	}
	r.ids[name] = id
	r.held += nodeHolds + len(name)/8
	r.names = append(r.names, name)
	r.inEdges, r.inNodes, r.seen = append(r.inEdges, false), append(r.inNodes, false), append(r.seen, notSeen)
	return id, nil
}

// snapshot is the number of the one that a cell's time belongs to.
func (r *reader) snapshot(p fileRow, column string, v cell) (int, instant, *Error) {
	at, bin, err := r.clock.read(p, column, v)
	if err != nil {
		return 0, 0, err
	}
	if len(r.bins) > 0 && bin == r.lastBin {
		r.ends[r.lastSnapshot] = max(r.ends[r.lastSnapshot], at)
		return r.lastSnapshot, at, nil
	}
	k, found := r.snapshots[bin]
	if !found {
		k = len(r.bins)
		if k == maxSnapshots {
			return 0, 0, p.fault(column, fmt.Sprintf("more than %d snapshots", maxSnapshots), "a larger step")
		}
		r.snapshots[bin] = k
		r.bins = append(r.bins, bin)
		r.edgesAt, r.nodesAt, r.ends = append(r.edgesAt, 0), append(r.nodesAt, 0), append(r.ends, notYet)
	}
	r.ends[k] = max(r.ends[k], at)
	r.lastBin, r.lastSnapshot = bin, k
	return k, at, nil
}

// full returns an error if the series or the reader would hold more numbers than allowed.
func (r *reader) full(p fileRow, g *grid) error {
	if r.held <= max(r.c.MaxValues, leastHolds) && g.started <= r.c.MaxValues/max(1, g.widest) {
		return nil
	}
	return p.fault("", fmt.Sprintf("more than %d values in %d snapshots so far, of %d nodes and %d edges", r.c.MaxValues,
		len(r.bins), len(r.names), len(r.from)), "a larger step or fewer edges, or a larger Config.MaxValues, at 8 "+
		"bytes each")
}

// noteColumns tells of columns that were found by less usual names, and of columns that are not read.
func (r *reader) noteColumns(f *file, others []string) {
	if f.unusual {
		r.notice("%s: columns taken: %s", f.path, strings.Join(f.taken, ", "))
	}
	if len(others) > 0 {
		r.notice("%s: columns not read: %s", f.path, list(others))
	}
}
