package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// Names that a column may have if the configuration names none. Letters may be of either case.
var (
	timeNames   = []string{"time", "date", "day", "timestamp"}
	fromNames   = []string{"source", "src", "from", "origin"}
	toNames     = []string{"destination", "dest", "dst", "to", "target"}
	weightNames = []string{"weight", "value", "amount", "count"}
	nodeNames   = []string{"node", "id", "region", "station"}
)

// column is one to find in a file.
type column struct {
	// name points into the configuration. An empty name is replaced by the one that is found.
	name *string
	// field is the configuration's; "" for a recipe, whose columns are fixed.
	field string
	// common are the names that an empty name stands for.
	common []string
	// without says what the field may be for a file without such a column; "" if it must have one.
	without string
	// shared is whether another column may have the same name, or be found under it.
	shared bool
	// truth is whether it may have truth values, which are 1 and 0.
	truth bool
}

func (r *reader) column(name *string, field string, common []string, without string) column {
	if r.closed {
		field, without = "", ""
	}
	return column{name: name, field: field, common: common, without: without}
}

// names returns the names of columns, by default their first common names.
func names(columns []column) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		if all[i] = *c.name; all[i] == "" {
			all[i] = c.common[0]
		}
	}
	return all
}

// distinct refuses names that the configuration has twice.
func distinct(f *file, columns []column) error {
	for i, c := range columns {
		again := slices.ContainsFunc(columns[:i], func(other column) bool {
			return *other.name == *c.name && other.shared == c.shared
		})
		if again && *c.name != "" || *c.name == "" && c.common == nil {
			return invalid("%s: column %q is asked for twice or has no name, want each once: the last values of targets "+
				"are features already", f.path, *c.name)
		}
	}
	return nil
}

// locate returns the positions of the columns in a header, in the given order, and the names of the other columns. It
// sets names that are empty.
func (f *file) locate(header []string, columns []column, at fileRow) (indices []int, others []string, err error) {
	for _, c := range columns {
		if *c.name == "" {
			if err := f.choose(header, columns, c, at); err != nil {
				return nil, nil, err
			}
		}
		found := slices.Index(header, *c.name)
		if found < 0 {
			wanted := "a column with this name, or another " + c.field
			if c.field == "" {
				wanted = "a column with this name, which the first files had"
			} else if near := nearest.Of(*c.name, header); near != "" {
				wanted += fmt.Sprintf(" such as %q", near)
			}
			return nil, nil, f.noColumn(header, c, at, *c.name, wanted)
		}
		if slices.Contains(header[found+1:], *c.name) {
			return nil, nil, at.fault(*c.name, "two columns with this name", "one: rename the other")
		}
		indices = append(indices, found)
	}
	for i, name := range header {
		if !slices.Contains(indices, i) {
			others = append(others, name)
		}
	}
	return indices, others, nil
}

// choose sets an empty name to the only column of the header that has one of the common names and no other use.
func (f *file) choose(header []string, columns []column, c column, at fileRow) error {
	var found []string
	taken := "" // says which column of a common name has another use
	for _, name := range header {
		common := slices.ContainsFunc(c.common, func(known string) bool { return strings.EqualFold(known, name) })
		use := slices.IndexFunc(columns, func(other column) bool { return *other.name == name && !other.shared })
		if common && use >= 0 {
			taken = fmt.Sprintf("; %q is %s already", name, columns[use].field)
		}
		if common && use < 0 && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	switch {
	case len(found) == 0:
		return f.noColumn(header, c, at, c.common[0],
			"a column "+choice(c.common)+", or the name of another as "+c.field+taken)
	case len(found) > 1:
		return at.fault("", "the columns "+list(found), "one of them as "+c.field)
	}
	*c.name = found[0]
	f.taken = append(f.taken, fmt.Sprintf("%s %q", c.field, found[0]))
	f.unusual = f.unusual || found[0] != c.common[0]
	return nil
}

// noColumn is the error about a column that a header lacks.
func (f *file) noColumn(header []string, c column, at fileRow, name, wanted string) error {
	if c.without != "" {
		wanted += fmt.Sprintf(", or %s %q %s", c.field, None, c.without)
	}
	for _, separator := range []string{";", "|", "\t", ","} {
		inside := func(cell string) bool {
			parts := strings.Split(cell, separator)
			return len(parts) > 1 && (len(header) == 1 || slices.Contains(parts, name))
		}
		if !f.parquet && slices.ContainsFunc(header, inside) {
			wanted = fmt.Sprintf("cells separated by %q, or Config.Separator %q", f.comma,
				strings.ReplaceAll(separator, "\t", tab))
			break
		}
	}
	return at.fault(name, "the columns "+list(header), wanted)
}

// choice returns names in quotes, with "or" before the last.
func choice(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = errs.Quote(name)
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
