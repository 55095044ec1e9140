package ranking

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// shares holds the yearly matrices of a graph in snapshots, with the nodes in falling order of their imports.
type shares struct {
	names  []string
	years  []float64
	matrix [][][]float64 // [years][from][to]
}

func tradeShares(ctx context.Context) (s shares, err error) {
	data, err := tgb.AgtpaTrade(ctx)
	if err != nil {
		return s, err
	}
	series, err := data.Series(ctx)
	if err != nil {
		return s, err
	}
	n := series.Nodes()
	inflow, order := make([]float64, n), make([]int, n)
	for u := range order {
		order[u] = u
	}
	for _, weights := range series.Weights {
		for e, w := range weights {
			inflow[series.Pattern.To[e]] += w
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(inflow[b], inflow[a]) })
	index := make([]int, n)
	for k, u := range order {
		index[u] = k
		s.names = append(s.names, series.NodeNames[u])
	}
	s.years = series.Times
	for _, weights := range series.Weights {
		matrix := make([][]float64, n)
		for u := range matrix {
			matrix[u] = make([]float64, n)
		}
		for e, w := range weights {
			matrix[index[series.Pattern.From[e]]][index[series.Pattern.To[e]]] = w
		}
		s.matrix = append(s.matrix, matrix)
	}
	return s, nil
}

// TradeMaps shows the share of each country's exports that went to each other country, year by year. Exporters are
// listed from top to bottom, importers from left to right, both in falling order of their total imports.
func TradeMaps(ctx context.Context) (*figures.Slider, error) {
	s, err := tradeShares(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	var panels [][]figures.ImagePanel
	for k, matrix := range s.matrix {
		names = append(names, fmt.Sprintf("%.0f", s.years[k]))
		values := make([][]float64, len(matrix))
		for u, row := range matrix {
			for _, share := range row {
				values[u] = append(values[u], math.Log10(math.Max(share, 1e-4)))
			}
		}
		panels = append(panels, []figures.ImagePanel{{Title: "exporters (rows) to importers", Values: values}})
	}
	axes := figures.Axes{Title: "Share of each country's exports by partner", Colour: "log10 of the share, at least -4"}
	return figures.ImageSlider(axes, names, panels)
}

// TradePartners draws the share of a country's exports that went to each of its largest partners, by year. The
// partners are the largest over all years. Countries are named as in the data, by ISO 3166 codes of three letters.
// The error wraps [experiments.ErrInput].
func TradePartners(ctx context.Context, country string, partners int) (*figures.Figure, error) {
	s, err := tradeShares(ctx)
	if err != nil {
		return nil, err
	}
	u := slices.Index(s.names, country)
	if u < 0 || partners < 1 || partners > 8 {
		return nil, errs.New(experiments.ErrInput, "experiments: %d partners of country %q, want 1 to 8 and %s", partners,
			country,
			nearest.Want(country, s.names))
	}
	total, order := make([]float64, len(s.names)), make([]int, len(s.names))
	for v := range order {
		order[v] = v
		for _, matrix := range s.matrix {
			total[v] += matrix[u][v]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	var lines []figures.Series
	for i, v := range order[:partners] {
		line := figures.Series{Name: s.names[v], Points: true, Style: figures.StyleOf(i)}
		for k, year := range s.years {
			line.X, line.Y = append(line.X, dayOfYear(year)), append(line.Y, s.matrix[k][u][v])
		}
		lines = append(lines, line)
	}
	return figures.Lines(figures.Axes{Title: "Where " + country + " exports to", X: "year", Y: "share of exports",
		Start: epoch}, lines...)
}

// countries returns the nodes of a rotation with the mean of a row's NDCG minus Persistent Forecast's over tested
// label times and seeds, largest first; nil if runs are missing.
func (r rotation) countries(row string) (nodes []int, gains []float64) {
	mean := func(row string) map[int]float64 {
		some := r.results.Where("model", row)
		if len(some) == 0 || some.Gap() != "" {
			return nil
		}
		sum, count := make(map[int]float64), make(map[int]float64)
		for _, run := range some {
			arrays := run.Facts().Arrays
			for k, asked := range arrays[testNodes] {
				for i, u := range asked {
					sum[int(u)] += arrays[testByNode][k][i]
					count[int(u)]++
				}
			}
		}
		for u := range sum {
			sum[u] /= count[u]
		}
		return sum
	}
	base, own := mean(catalogue.PersistentID), mean(row)
	if base == nil || own == nil {
		return nil, nil
	}
	for u := range own {
		nodes = append(nodes, u)
	}
	slices.SortFunc(nodes, func(a, b int) int {
		return cmp.Or(cmp.Compare(own[b]-base[b], own[a]-base[a]), cmp.Compare(a, b))
	})
	for _, u := range nodes {
		gains = append(gains, own[u]-base[u])
	}
	return nodes, gains
}

// Countries draws the nodes that gain and lose most by a row, with the same errors as [Affinity.Differences].
func (a *Affinity) Countries(r *experiments.Report, data, row string) (*figures.Figure, error) {
	turned, err := rotationOn(r, data)
	if err != nil {
		return nil, err
	}
	nodes, gains := turned.countries(row)
	if nodes == nil {
		return nil, errs.New(experiments.ErrNotStored, "experiments: node-affinity on %s: the rotation lacks runs of %s "+
			"or of "+
			"Persistent Forecast", data, row)
	}
	some := turned.results.Where("model", row)
	loaded, err := some[0].Spec.(affinityRun).data.loaded()
	if err != nil {
		return nil, err
	}
	const shown = 8
	var rows []figures.DotRow
	for k, u := range nodes {
		if k < shown || k >= len(nodes)-shown {
			rows = append(rows, figures.DotRow{Name: nodeOf(loaded.Data, u), Value: figures.Number(gains[k])})
		}
	}
	axes := figures.Axes{Title: fmt.Sprintf("Who gains and who loses by %s, %s, profile %s", some[0].Model.Name, data,
		r.Profile), X: "NDCG@10 minus Persistent Forecast's", Better: figures.Higher}
	if len(rows) < len(nodes) {
		axes.Notes = []string{fmt.Sprintf("The %d nodes at each end, of %d.", shown, len(nodes))}
	}
	return figures.Dots(axes, rows...)
}

func nodeOf(data *affinity.Data, node int) string {
	if node < len(data.NodeNames) {
		return data.NodeNames[node]
	}
	return fmt.Sprint(node)
}
