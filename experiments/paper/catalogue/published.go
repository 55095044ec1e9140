package catalogue

import (
	_ "embed" // for what the paper prints
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/figures"
)

// publishedText holds the values that the paper prints. Each line has a table, the ID of our row (or of a study, a map
// or one of the dynamics; "" if none is ours), the paper's name for it, a column, and a value. The spread of errors is
// the half-width of the 95% interval over ten seeds, on simulated worlds over an unknown number. In table tgb, NDCG@10
// on data of the Temporal Graph Benchmark, it is a standard deviation. In tgb, all rows but the last four use the
// benchmark's protocol and come from its leaderboard; the last four use the paper's windows. Table improvement has how
// much lower the error of PENG-CDE is than the error of Original GN-CDE; its values for gene do not follow from the
// paper's errors.
//
//go:embed published.csv
var publishedText string

// Number is a value that the paper prints, with its spread; NaN if it prints none.
type Number struct{ Value, Spread float64 }

// Cell returns the number for a table, or a missing result.
func (n Number) Cell() figures.Cell { return figures.Estimate(n.Value, n.Spread) }

// PublishedRow is a row of a table of the paper, with the ID of our row.
type PublishedRow struct {
	ID, Name string
	numbers  map[string]Number
}

// On returns the row's number in a column; NaN if it has none.
func (r PublishedRow) On(column string) (n Number, ok bool) {
	if n, ok = r.numbers[column]; !ok {
		n = Number{math.NaN(), math.NaN()}
	}
	return n, ok
}

var published = read(publishedText)

func read(text string) map[string][]PublishedRow {
	tables := make(map[string][]PublishedRow)
	for _, line := range Table("published.csv", text) {
		number := func(text string) float64 {
			if text == "" {
				return math.NaN()
			}
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic("published.csv: " + err.Error()) // the file is part of the program
			}
			return x
		}
		rows, last := tables[line[0]], len(tables[line[0]])-1
		if last < 0 || rows[last].ID != line[1] || rows[last].Name != line[2] {
			rows, last = append(rows, PublishedRow{line[1], line[2], make(map[string]Number)}), last+1
		}
		rows[last].numbers[line[3]] = Number{number(line[4]), number(line[5])}
		tables[line[0]] = rows
	}
	return tables
}

// Table parses an embedded table and returns its rows without the heading.
func Table(name, text string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return rows[1:]
}

// PublishedRows returns the rows of a table of the paper; none if the paper has no such table.
func PublishedRows(table string) []PublishedRow { return published[table] }

// Published returns the value that the paper prints for one of our rows in a table, such as the error of "peng" on
// "heat" in the column "grid".
func Published(table, id, column string) (n Number, ok bool) {
	if row, found := publishedRow(table, id); found {
		return row.On(column)
	}
	return Number{math.NaN(), math.NaN()}, false
}

func publishedRow(table, id string) (row PublishedRow, ok bool) {
	at := slices.IndexFunc(published[table], func(r PublishedRow) bool { return r.ID == id && id != "" })
	if at < 0 {
		return row, false
	}
	return published[table][at], true
}

// PublishedName returns the paper's name for one of our rows in a table, else its ID.
func PublishedName(table, id string) string {
	if row, ok := publishedRow(table, id); ok {
		return row.Name
	}
	return id
}

// PublishedCompute returns what the paper says about the compute of a study on an H100 or H200; "" if it says
// nothing.
func PublishedCompute(study string) string {
	row, _ := publishedRow("compute", study)
	return row.Name
}

// PublishedNodes lists the numbers of nodes in table epoch, which has the seconds per training epoch on a GPU (H100
// or H200).
var PublishedNodes = []int{128, 256, 512, 1024, 2048}

// PublishedImprovement returns the printed improvement in a world, and the improvement computed from the paper's
// errors.
func PublishedImprovement(dynamics, family string) (printed, byErrors float64, ok bool) {
	n, ok := Published("improvement", dynamics, family)
	a, _ := Published(dynamics, "original", family)
	b, _ := Published(dynamics, "peng", family)
	return n.Value, 100 * (a.Value - b.Value) / a.Value, ok
}

// Families returns the families of graphs in the published tables, or only the named ones.
func Families(names ...string) []graphs.Family {
	all := slices.DeleteFunc(graphs.All(), func(f graphs.Family) bool { return f == graphs.Random{} })
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(f graphs.Family) bool { return !slices.Contains(names, f.Name()) })
	}
	return all
}
