package tgb

import (
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// format is how the files of a data set are written. Columns have fixed places; those whose name is not known for sure
// take any.
type format struct {
	edges, labels []column
	weight        int  // its place among the columns of edges; among those of labels it is the last
	classes       int  // published
	trade         bool // every node is a class; else sources are users and destinations are classes
	signed        bool // weights of edges may be negative
	unix          bool // times are seconds since 1970; else years
}

// column is one of a file.
type column struct {
	name  string
	other []string // names that it has in some versions of the file
	any   bool     // its name is not looked at
}

var (
	timeColumn = column{name: "time", other: []string{"year", "timestamp", "ts"}}
	value      = func(names ...string) column { return column{name: names[0], other: names[1:]} }
	named      = func(what string) column { return column{name: what, any: true} }
)

var formats = map[string]format{
	"tgbn-trade": {
		edges:  []column{timeColumn, named("source"), named("destination"), value("weight")},
		labels: []column{timeColumn, named("source"), named("destination"), value("weight")},
		weight: 3, trade: true,
	},
	"tgbn-genre": {
		edges:  []column{timeColumn, named("user"), named("genre"), value("weight")},
		labels: []column{timeColumn, named("user"), named("genre"), value("weight")},
		weight: 3, classes: 513, unix: true,
	},
	"tgbn-reddit": {
		edges:  []column{timeColumn, named("user"), named("subreddit"), value("num_words", "words"), value("score")},
		labels: []column{timeColumn, named("user"), named("subreddit"), value("weight")},
		weight: 4, classes: 698, signed: true, unix: true,
	},
	"tgbn-token": {
		edges:  []column{timeColumn, named("user"), named("token"), value("value", "weight"), value("IsSender", "is_sender")},
		labels: []column{timeColumn, named("user"), named("token"), value("weight")},
		weight: 3, classes: 1001, unix: true,
	},
}

// known are the sha256 of the unpacked files, edges and labels, of data sets for which they are known. TGB publishes none.
var known = map[string][2]string{
	"agtpa-trade": {"4f7e48499cf7dfbce716e69fa5257f9405a1c90f6817642ab379fd2fd5582f0e",
		"8080a15a61292a560f940d20024abd1a342be02421984eba87cadc8979a12798"},
}

// formatOf is that of a data set, or of files of another name.
func (c Config) formatOf() (format, error) {
	name := c.Format
	if name == "" {
		name = c.Name
	}
	if name == agtpaTrade {
		name = "tgbn-trade"
	}
	f, found := formats[name]
	if !found {
		return format{}, invalid("no format %q, %s: files of another name take one of these as Config.Format", name,
			nearest.Want(name, []string{"tgbn-trade", "tgbn-genre", "tgbn-reddit", "tgbn-token"}))
	}
	if c.Classes < 0 || c.Classes > 0 && f.trade {
		return format{}, invalid("%d classes, want 0, or 1 and above in a format where users are apart from classes",
			c.Classes)
	}
	if c.Classes > 0 {
		f.classes = c.Classes
	}
	return f, nil
}

// Step is the length of a snapshot in the published experiments: a year, or a week in seconds.
func (f format) step() float64 {
	if f.unix {
		return 7 * 24 * 60 * 60
	}
	return 1
}

// header finds a first line that does not name the columns.
func header(cells []string, columns []column) (found, wanted string) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	wanted = "a first line that names the columns " + strings.Join(names, ", ")
	found = "the first line " + shown(strings.Join(cells, ","))
	if len(cells) != len(columns) {
		return found, wanted
	}
	for i, c := range columns {
		name := strings.ToLower(strings.TrimSpace(cells[i]))
		is := func(other string) bool { return strings.ToLower(other) == name }
		if !c.any && !is(c.name) && !slices.ContainsFunc(c.other, is) {
			if len(c.other) > 0 {
				wanted += " (or " + strings.Join(c.other, ", ") + " in place of " + c.name + ")"
			}
			return found, wanted
		}
	}
	return "", ""
}
