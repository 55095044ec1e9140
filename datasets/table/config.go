package table

import (
	"cmp"
	"io"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// None, as the name of a column, means that the file has no such column. Edges without a time are a static graph, the
// same in every snapshot; the nodes file has the times. Edges without a weight count 1 for each row.
const None = "-"

// NoLags as [Config].Lags makes no features from the targets' values.
const NoLags = -1

// Edges names the edges file and its columns: each row has a time, a source node, a destination node and a weight.
// Columns may be in any order; other columns are ignored.
type Edges struct {
	// Path ends in .csv, .tsv or .parquet; .csv and .tsv also with .gz or .zst after it.
	Path string `json:",omitempty"`
	// Time, From, To and Weight name columns. An empty name is the only column of the file with a common name: "time",
	// "date", "day" or "timestamp"; "source", "src", "from" or "origin"; "destination", "dest", "dst", "to" or "target";
	// "weight", "value", "amount" or "count". Time and Weight may be [None].
	Time, From, To, Weight string
	// Features name columns of numbers, of which Weight may be one. Each makes two features of a node: the sums over the
	// snapshot's rows from the node and over the rows to it. A cell without a value adds nothing.
	Features []string `json:",omitempty"`
	// EmptyWeight is for rows without a weight. If it is empty, they are an error.
	EmptyWeight EmptyWeight `json:",omitzero"`
	// Aggregate combines rows of the same edge in the same snapshot. The default is [Sum].
	Aggregate Aggregate `json:",omitempty"`
	// Signed allows negative weights, which the default normalisation of a model cannot take.
	Signed bool `json:",omitempty"`
}

// Nodes names the nodes file and its columns; the file has a row for each time and node. Without a Path there are no
// targets, and the only feature is a constant 1.
type Nodes struct {
	// Path ends as the Path of [Edges] does.
	Path string `json:",omitempty"`
	// Time and Node name columns. An empty name is the only column of the file with a common name: a time as in [Edges];
	// "node", "id", "region" or "station".
	Time, Node string
	// Features and Targets name columns of numbers. An empty cell, NA, N/A, NaN, null and none are missing values.
	Features, Targets []string `json:",omitempty"`
	// Categories name columns of texts, such as kinds of places: each of the texts in the training times, at most 64, is
	// a feature that is 1 where it is the node's, else 0. For texts that appear later all of them are 0. Of several rows
	// in a snapshot the last counts.
	Categories []string `json:",omitempty"`
	// Presence says at which times a node is there, such as a bank account between opening and closing: [ByRows], [Seen],
	// or the name of a column with 1 or true for present and 0 or false for absent, which holds until the node's next
	// row; before its first row a node is absent. If it is empty, all nodes are always present. Absent nodes have no
	// values and no edges, see dyngraph.Series.Present.
	Presence string `json:",omitempty"`
	// Aggregate combines rows of the same node in the same snapshot. The default is [Mean] with a Config.Step and
	// [Unique] without, so that a second row for a node and a time is an error.
	Aggregate Aggregate `json:",omitempty"`
}

// EmptyWeight says what a row of the edges file without a weight is.
type EmptyWeight string

const (
	// Drop leaves the row out.
	Drop EmptyWeight = "drop"
	// Zero makes the weight 0.
	Zero EmptyWeight = "zero"
	// Refuse makes the row an error.
	Refuse EmptyWeight = "error"
)

// Aggregate says how several rows of one snapshot are combined.
type Aggregate string

const (
	// Sum adds up the values that are not missing, Mean averages them.
	Sum  Aggregate = "sum"
	Mean Aggregate = "mean"
	// Last takes the value with the latest time; of equal times the value later in the file.
	Last Aggregate = "last"
	// Unique refuses a second row.
	Unique Aggregate = "unique"
)

// WithoutEdges says which graph a snapshot has if the edges file has no row for it.
type WithoutEdges string

const (
	// Hold repeats the previous graph.
	Hold WithoutEdges = "hold"
	// Empty gives a graph without edges.
	Empty WithoutEdges = "empty"
)

// Scaling says how targets are transformed before they are standardised.
type Scaling string

// Log1p takes log(1 + y) of targets y, which must be 0 or more, such as counts. Values that Series.Scales restores
// are never negative.
const Log1p Scaling = "log1p"

// Config selects the files and defines snapshots, lags, targets and scales.
type Config struct {
	Edges Edges
	Nodes Nodes
	// Step is the length of a snapshot: rows with a time in [k Step, (k+1) Step) for a whole number k belong to one
	// snapshot. Steps that are durations count from Monday, 5 January 1970, in UTC. The zero value makes a snapshot of
	// every time in either file.
	Step Step
	// Separator is what separates cells in text: ",", ";", "|" or "tab". If it is empty, it is a tab in .tsv, and in
	// .csv a semicolon if the first line has one and no comma, else a comma.
	Separator string `json:",omitzero"`
	// Decimal is the decimal sign of numbers in text, "." or ",". If it is empty, it is a point, or in a file separated
	// by semicolons the sign of its first number that cannot be of thousands.
	Decimal string `json:",omitzero"`
	// DateFormat is the format of dates in text, such as "MM/DD/YYYY" or "DD.MM.YYYY hh:mm:ss", for dates that are not
	// in ISO 8601 format; see the package comment.
	DateFormat string `json:",omitzero"`
	// WithoutEdges is for snapshots without a row in the edges file. If it is empty, such a snapshot is an error.
	WithoutEdges WithoutEdges `json:",omitempty"`
	// Lags is the number of the targets' last values, including the newest, that are features. 0 means 8, [NoLags]
	// none.
	Lags int
	// A window's targets are those from First to Horizon snapshots after its last input, see dyngraph.Series.EachStep; 0
	// means 1. With First equal to Horizon it has only the targets of that one snapshot.
	First, Horizon int `json:",omitempty"`
	// TrainFraction is the fraction of the snapshots, from the first on, that scales are computed from; 0 means 0.6.
	TrainFraction float64
	// Scale is [Log1p], or empty for targets as they are.
	Scale Scaling `json:",omitempty"`
	// Calendar makes features of parts of a snapshot's date, which are known in advance.
	Calendar []CalendarPart `json:",omitempty"`
	// Unscaled leaves features and targets in the unit of the file.
	Unscaled bool `json:",omitempty"`
	// KeepGaps leaves missing features NaN. Otherwise they repeat the node's previous value or, if there is none, have
	// the mean of the training times.
	KeepGaps bool `json:",omitempty"`
	// MaxValues limits the numbers in a series, such as snapshots x edges, and, in the same unit of 8 bytes, the memory
	// of edges and node names while files are read; 0 means 2^28, which take 2 GiB.
	MaxValues int `json:",omitempty"`
	// MaxBytes bounds the bytes of each file, counted after unpacking. 0 means 16 GiB, or more where the
	// environment variable PENGCDE_MAX_BYTES says so. More are an error that wraps [dyngraph.ErrTooLarge].
	MaxBytes int64 `json:"-"`
	// Notices receives a line for each unexpected finding, such as nodes that one file lacks; nil is [os.Stderr].
	Notices io.Writer `json:"-"`
}

const (
	defaultLags      = 8
	defaultFraction  = 0.6
	defaultMaxValues = 1 << 28
	maxSnapshots     = 1 << 20 // far above what a model is trained on
	maxLags          = 1 << 16
)

// resolved returns the configuration with its defaults written out, except names of columns and what files may differ
// in.
func (c Config) resolved() Config {
	c.Edges.Aggregate, c.Edges.EmptyWeight = cmp.Or(c.Edges.Aggregate, Sum), cmp.Or(c.Edges.EmptyWeight, Refuse)
	if c.Nodes.Aggregate == "" {
		if c.Nodes.Aggregate = Unique; c.Step != (Step{}) {
			c.Nodes.Aggregate = Mean
		}
	}
	c.Lags, c.First, c.Horizon = cmp.Or(c.Lags, defaultLags), cmp.Or(c.First, 1), cmp.Or(c.Horizon, 1)
	c.TrainFraction, c.MaxValues = cmp.Or(c.TrainFraction, defaultFraction), cmp.Or(c.MaxValues, defaultMaxValues)
	return c
}

// check returns an error for a configuration, with its defaults written out, that cannot be read.
func (c Config) check() error {
	for what, how := range map[string]Aggregate{"Edges": c.Edges.Aggregate, "Nodes": c.Nodes.Aggregate} {
		if known := []Aggregate{Sum, Mean, Last, Unique}; !slices.Contains(known, how) {
			return invalid("%s.Aggregate %q, want one of %q", what, how, known)
		}
	}
	switch {
	case c.Edges.Path == "":
		return invalid("no Edges.Path, want a file such as \"edges.csv\"")
	case c.Nodes.Path == "" && len(c.Nodes.columns()) > 0:
		return invalid("columns %q but no Nodes.Path, want the file that has them", c.Nodes.columns())
	case c.Nodes.Path != "" && len(c.Nodes.columns()) == 0:
		return invalid("no columns to read from %s, want Nodes.Targets, Nodes.Features or Nodes.Categories", c.Nodes.Path)
	case c.Nodes.Path == "" && c.Nodes.Presence != "" && c.Nodes.Presence != Seen:
		return invalid("Nodes.Presence %q but no Nodes.Path, want the file with the rows of nodes, or %q", c.Nodes.Presence,
			Seen)
	case c.Edges.Time == None && c.Nodes.Path == "":
		return invalid("a static graph and no Nodes.Path: want a file with times")
	case !slices.Contains([]EmptyWeight{Drop, Zero, Refuse}, c.Edges.EmptyWeight):
		return invalid("Edges.EmptyWeight %q, want %q, %q or %q", c.Edges.EmptyWeight, Drop, Zero, Refuse)
	case c.Separator != "" && c.separator() == 0:
		return invalid("Config.Separator %q, want \",\", \";\", \"|\" or \"tab\"", c.Separator)
	case c.Decimal != "" && c.Decimal != "." && c.Decimal != ",":
		return invalid("Config.Decimal %q, want \".\" or \",\"", c.Decimal)
	case c.WithoutEdges != "" && c.WithoutEdges != Hold && c.WithoutEdges != Empty:
		return invalid("Config.WithoutEdges %q, want %q or %q, or none to refuse snapshots without edges", c.WithoutEdges,
			Hold, Empty)
	case c.Lags < NoLags || c.Lags > maxLags:
		return invalid("%d lags, want 1 to %d, 0 for %d, or NoLags", c.Lags, maxLags, defaultLags)
	case len(c.Nodes.Targets) > 0 && c.Lags < 1 &&
		len(c.Nodes.columns())+len(c.Calendar)+len(c.Edges.Features) == len(c.Nodes.Targets):
		return invalid("no lags and no features: want one of them as what a model sees")
	case c.Horizon < 1 || c.Horizon > maxSnapshots:
		return invalid("Config.Horizon %d, want 1 to %d snapshots after the last input", c.Horizon, maxSnapshots)
	case c.First < 1 || c.First > c.Horizon:
		return invalid("Config.First %d, want 1 to the horizon, %d", c.First, c.Horizon)
	case !(c.TrainFraction > 0 && c.TrainFraction <= 1):
		return invalid("TrainFraction %g, want more than 0 and at most 1", c.TrainFraction)
	case c.Scale != "" && c.Scale != Log1p:
		return invalid("Config.Scale %q, want %q or nothing", c.Scale, Log1p)
	case c.Scale != "" && c.Unscaled:
		return invalid("Config.Scale %q and Unscaled: want one of them", c.Scale)
	case c.MaxValues < 0:
		return invalid("MaxValues %d, want a positive number", c.MaxValues)
	case c.MaxBytes < 0:
		return invalid("MaxBytes %d, want a positive number", c.MaxBytes)
	}
	for i, part := range c.Calendar {
		if calendarParts[part] == nil || slices.Contains(c.Calendar[:i], part) {
			return invalid("Config.Calendar %q, want %q, %q or both, each once", part, Weekday, Month)
		}
	}
	if _, err := layoutOf(c.DateFormat); err != nil {
		return err
	}
	if _, err := (bounded.Limit{Bytes: c.MaxBytes, Default: maxBytes}).Resolve(); err != nil { // of the environment
		return invalid("%v", err)
	}
	return c.Step.check()
}

const tab = "tab" // as a Separator

// separator returns the rune that Separator names, 0 if it names none.
func (c Config) separator() rune {
	switch c.Separator {
	case ",", ";", "|":
		return rune(c.Separator[0])
	case tab:
		return '\t'
	}
	return 0
}

func (c Config) lags() int { return max(c.Lags, 0) * min(1, len(c.Nodes.Targets)) }

// columns returns the columns of values.
func (n Nodes) columns() []string { return slices.Concat(n.Targets, n.Features, n.Categories) }

// features names the features of nodes that are numbers: columns of the nodes file, then sums over edges.
func (c Config) features() []string {
	names := slices.Clone(c.Nodes.Features)
	for _, column := range c.Edges.Features {
		names = append(names, column+", from the node", column+", to the node")
	}
	return names
}

// featureSize returns the FeatureSize of the series, for nodes with so many features beside the lags.
func (c Config) featureSize(features int) int { return max(1, c.lags()*len(c.Nodes.Targets)+features) }

// offset returns the number of steps from the first time to the first snapshot, whose lags must be in the data.
func (c Config) offset() int { return max(c.lags(), 1) - 1 }

// targetSteps returns the number of snapshots whose targets a window has.
func (c Config) targetSteps() int { return c.Horizon - c.First + 1 }

// steps returns the steps of a snapshot's values.
func (c Config) steps() dyngraph.Alignment {
	return dyngraph.Alignment{Features: dyngraph.StepRange{First: -c.offset()},
		Targets: dyngraph.StepRange{First: c.First - 1, Last: c.Horizon - 1}}
}
