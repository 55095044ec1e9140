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

// names are those of nodes, numbered as they appear.
type names struct {
	list []string
	of   map[string]int32
}

// rows calls each for the rows of a file, until it says no.
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
				one.Rows, one.SHA256 = rows, hex.EncodeToString(sum.Sum(nil))
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

// Events streams the edges.
func (s *source) Events(ctx context.Context) dyngraph.Events {
	return func(yield func(dyngraph.Event, error) bool) {
		users, offset := &s.users, int32(s.format.classes)
		if s.format.trade {
			users, offset = &s.classes, 0
		}
		err := s.rows(ctx, &s.edges, s.format.edges, func(r *reader) (bool, error) {
			var event dyngraph.Event
			var err error
			if event.Time, err = r.now(); err != nil {
				return false, err
			}
			if event.Source, err = s.node(users, r, 1); err != nil {
				return false, err
			}
			if event.Destination, err = s.node(&s.classes, r, 2); err != nil {
				return false, err
			}
			event.Source += offset
			for k := 3; k < len(s.format.edges); k++ { // all are numbers, one is kept
				v, err := r.number(k, s.format.signed)
				if err != nil {
					return false, err
				}
				if k == s.format.weight {
					event.Weight = v
				}
			}
			return yield(event, nil), nil
		})
		if err != nil {
			yield(dyngraph.Event{}, err)
		}
	}
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
	case known == &s.classes && !s.format.trade && len(known.list) == s.format.classes:
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
	if s.format.trade {
		return all, classes
	}
	what := s.format.edges
	for k := classes; k < s.format.classes; k++ {
		all = append(all, fmt.Sprintf("%s %d, which does not occur", what[2].name, k))
	}
	for _, name := range s.users.list {
		if _, found := s.classes.of[name]; found {
			name += " (" + what[1].name + ")"
		}
		all = append(all, name)
	}
	return all, classes
}
