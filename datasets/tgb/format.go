package tgb

import (
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// format describes the columns of a data set's files: a time, a source and a destination, then values, in fixed
// positions.
type format struct {
	source, destination string   // what they are
	values              []column // of edges; labels have a weight
	weight              int      // which of values is the weight of an event
	signed              bool     // values may be negative
	classes             int      // published, numbered before sources; 0 where every node is a class, as in trade
}

// column is one of a file.
type column struct {
	what  string
	names []string // that its head may have; none where any will do
}

var (
	when   = column{"time", []string{"time", "year", "timestamp", "ts"}}
	weight = column{"weight", []string{"weight"}}
)

var formats = map[string]format{
	"tgbn-trade": {source: "source", destination: "destination", values: []column{weight}},
	"tgbn-genre": {source: "user", destination: "genre", values: []column{weight}, classes: 513},
	"tgbn-reddit": {source: "user", destination: "subreddit", values: []column{{"words", []string{"num_words", "words"}},
		{"score", []string{"score"}}}, weight: 1, signed: true, classes: 698},
	"tgbn-token": {source: "user", destination: "token", values: []column{{"value", []string{"value", "weight"}},
		{"is-sender", []string{"IsSender", "is_sender"}}}, classes: 1001},
}

// known are the sha256 sums of the unpacked edges and labels of data sets with a known sum. TGB publishes none.
var known = map[string][2]string{
	agtpaTrade: {"4f7e48499cf7dfbce716e69fa5257f9405a1c90f6817642ab379fd2fd5582f0e",
		"8080a15a61292a560f940d20024abd1a342be02421984eba87cadc8979a12798"},
}

// format returns the format of a data set, or of files of another name.
func (c Config) format() (format, error) {
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
	if !(c.Late >= 0) {
		return format{}, invalid("events may be late by %g, want 0 or above", c.Late)
	}
	const mostClasses = 1 << 24
	switch {
	case c.Classes == 0:
		return f, nil
	case c.Classes < 0 || c.Classes > mostClasses || f.trade():
		return format{}, invalid("%d classes, want 0 in the format of tgbn-trade, and up to %d in the others", c.Classes,
			mostClasses)
	}
	f.classes = c.Classes
	return f, nil
}

func (f format) trade() bool { return f.classes == 0 }

// step is the length of a snapshot in the published experiments: a year, or a week in seconds.
func (f format) step() float64 {
	if f.trade() {
		return 1
	}
	return 7 * 24 * 60 * 60
}

// columns returns the columns of a file with these values.
func (f format) columns(values ...column) []column {
	return append([]column{when, {what: f.source}, {what: f.destination}}, values...)
}

// header describes a first line and the wanted one, "" where it names the columns.
func header(cells []string, columns []column) (found, wanted string) {
	right := len(cells) == len(columns)
	var names []string
	for i, c := range columns {
		is := func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(cells[i])) }
		right = right && (c.names == nil || slices.ContainsFunc(c.names, is))
		names = append(names, c.what)
		if len(c.names) > 1 {
			names[i] += " (" + strings.Join(c.names, ", ") + ")"
		}
	}
	if right {
		return "", ""
	}
	return "the first line " + errs.Quote(strings.Join(cells, ",")),
		"one that names the columns " + strings.Join(names, ", ")
}
