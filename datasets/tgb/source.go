package tgb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// source streams the files. The first reading numbers the nodes in the order in which they appear.
type source struct {
	config        Config
	format        format
	edges, labels file
	zip           bool // Path is one
	first         bool
	classes       names // of tgbn-trade: all nodes
	users         names
}

// names holds the names of nodes, numbered as they appear.
type names struct {
	list []string
	of   map[string]int32
}

// rows calls each for the rows of a file until it returns false.
func (s *source) rows(ctx context.Context, one *file, columns []column, each func(*reader) (bool, error)) error {
	in, count, done, err := s.open(one)
	if err != nil {
		return err
	}
	defer done()
	sum := sha256.New()
	if s.first {
		in = io.TeeReader(in, sum)
	}
	r, err := newReader(one.Path, in, columns)
	if err != nil {
		return err
	}
	if one == &s.edges {
		r.mayLate = s.config.Late
	}
	const every = 1 << 14 // rows from one look at ctx, and one report, to the next
	for rows := 0; ; rows++ {
		err := r.next()
		if rows%every == 0 && ctx.Err() != nil {
			return fmt.Errorf("datasets/tgb: %s, line %d: %w", one.Path, r.rows.Line(), ctx.Err())
		}
		if s.config.Progress != nil && (rows%every == 0 || err == io.EOF) {
			s.config.Progress(Progress{one.Path, rows, count.read, count.size})
		}
		switch {
		case err == io.EOF && rows == 0:
			return r.fault("a first line without rows", "one row at least")
		case err == io.EOF:
			if s.first {
				one.Rows, one.Late, one.SHA256 = rows, r.late, hex.EncodeToString(sum.Sum(nil))
			}
			return nil
		case err != nil:
			return err
		}
		if more, err := each(r); err != nil || !more {
			return err
		}
	}
}

// sources returns the names of sources, and the number of the first.
func (s *source) sources() (known *names, first int32) {
	if s.format.trade() {
		return &s.classes, 0
	}
	return &s.users, int32(s.format.classes)
}

// Events streams the edges.
func (s *source) Events(ctx context.Context) dyngraph.Events {
	return func(yield func(dyngraph.Event, error) bool) {
		columns := s.format.columns(s.format.values...)
		err := s.rows(ctx, &s.edges, columns, func(r *reader) (bool, error) {
			event, err := s.event(r)
			return err == nil && yield(event, nil), err
		})
		if err != nil {
			yield(dyngraph.Event{}, err)
		}
	}
}

// event is the row that was read.
func (s *source) event(r *reader) (event dyngraph.Event, err error) {
	if event.Time, err = r.now(); err != nil {
		return event, err
	}
	known, first := s.sources()
	if event.Source, err = s.node(known, r, 1); err != nil {
		return event, err
	}
	if event.Destination, err = s.node(&s.classes, r, 2); err != nil {
		return event, err
	}
	event.Source += first
	for k := range s.format.values { // all are numbers, one is kept
		v, err := r.number(3+k, s.format.signed)
		if err != nil {
			return event, err
		}
		if k == s.format.weight {
			event.Weight = v
		}
	}
	return event, nil
}

// node is the number of the name in a cell of edges.
func (s *source) node(known *names, r *reader, column int) (int32, error) {
	cell := r.cells[column]
	if id, found := known.of[cell]; found {
		return id, nil
	}
	switch {
	case !s.first:
		return 0, r.faultIn(column, "a name that was there when the file was opened: it changed meanwhile")
	case strings.TrimSpace(cell) == "" || !utf8.ValidString(cell):
		return 0, r.faultIn(column, "a name in UTF-8")
	case known == &s.classes && !s.format.trade() && len(known.list) == s.format.classes:
		return 0, r.faultIn(column, fmt.Sprintf("one of the %d before: say in Config.Classes if there are more",
			s.format.classes))
	}
	if known.of == nil {
		known.of = make(map[string]int32)
	}
	id, name := int32(len(known.list)), strings.Clone(cell) // of a whole row
	known.of[name], known.list = id, append(known.list, name)
	return id, nil
}

// Nodes are all classes, then users.
func (s *source) Nodes() ([]string, int) {
	all := append([]string(nil), s.classes.list...)
	classes := len(all) // what labels are about: those that occur
	if s.format.trade() {
		return all, classes
	}
	for k := classes; k < s.format.classes; k++ {
		all = append(all, fmt.Sprintf("%s %d, which does not occur", s.format.destination, k))
	}
	for _, name := range s.users.list {
		if _, found := s.classes.of[name]; found {
			name += " (" + s.format.source + ")"
		}
		all = append(all, name)
	}
	return all, classes
}
