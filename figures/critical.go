package figures

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peng-cde/pengcde-go/internal/clone"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

// Ranking is the data of a critical-difference diagram: models with their mean ranks on several blocks.
//
// J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7
// (2006), 1-30.
type Ranking struct {
	Models []RankedModel
	// Groups are sets of models, by index into Models, without a significant difference; each is drawn as a bar.
	Groups [][]int
	// Instead, if not "", is shown instead of the diagram, for example that a global test does not reject.
	Instead string
}

// RankedModel is one model of a [Ranking].
type RankedModel struct {
	Name  string
	Rank  float64 // mean over blocks; 1 is the best
	Style Style   // the colour of its line; the zero value is one colour for all
}

const (
	rankRow  = 16  // height of the row of a name
	rankBar  = 7   // from a bar to the next below it
	rankText = 46  // height of the axis with its label
	noteLine = 12  // height of a line of notes
	mostName = 0.3 // of the width, for the names at each side
)

// CriticalDifference draws models on an axis of their mean ranks, the best on the left. A bar joins models without a
// significant difference; the dots on it mark these models.
func CriticalDifference(axes Axes, r Ranking) (*Figure, error) {
	axes, r = clone.Of(axes), clone.Of(r)
	if err := r.check(); err != nil {
		return nil, err
	}
	r.Models, r.Groups = r.sorted()
	width := vg.Points(cmp.Or(axes.Width, defaultWidth) - 2*margin)
	var instead []string
	if r.Instead != "" {
		instead = wrap(labelText, r.Instead, width)
	}
	levels := r.levels()
	height := axes.titleHeight() + 2*margin
	if instead != nil {
		height += vg.Length(len(instead) * rankRow)
	} else {
		rows := (len(r.Models) + 1) / 2
		height += rankText + vg.Length(rankBar*(slices.Max(append(levels, -1))+1)+rankRow*rows+gap)
	}
	return axes.figure(max(smallest, height.Points()), describeRanking(axes, r), func(c draw.Canvas) {
		for i, line := range instead {
			write(c, labelText, draw.XLeft, c.Min.X, c.Max.Y-vg.Length(i)*rankRow-rankRow/2, line)
		}
		if instead == nil {
			r.draw(c, levels)
		}
	})
}

// sorted returns the models in order of their ranks, and the groups by new indices, sorted.
func (r Ranking) sorted() (models []RankedModel, groups [][]int) {
	order := make([]int, len(r.Models))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Models[a].Rank, r.Models[b].Rank) })
	ranks := make([]int, len(order))
	for rank, i := range order {
		models, ranks[i] = append(models, r.Models[i]), rank
	}
	for _, group := range r.Groups {
		var moved []int
		for _, i := range group {
			moved = append(moved, ranks[i])
		}
		slices.Sort(moved)
		groups = append(groups, moved)
	}
	slices.SortStableFunc(groups, slices.Compare)
	return models, groups
}

// levels returns the level of each group's bar, counted from the top: bars that do not overlap share a level.
func (r Ranking) levels() (levels []int) {
	var ends []float64 // rank at which the last bar of a level ends
	for _, group := range r.Groups {
		from, to := r.Models[group[0]].Rank, r.Models[group[len(group)-1]].Rank
		level := slices.IndexFunc(ends, func(end float64) bool { return end < from-0.1 })
		if level < 0 {
			level, ends = len(ends), append(ends, 0)
		}
		ends[level] = to
		levels = append(levels, level)
	}
	return levels
}

// draw draws the axis, below it the bars, and below these the names: the better half on the left, the best on top, the
// worse half on the right, the worst on top, so that no line crosses another's name.
func (r Ranking) draw(c draw.Canvas, levels []int) {
	k := len(r.Models)
	left := (k + 1) / 2
	most := mostName * c.Size().X
	names, ranks := make([]string, k), make([]string, k)
	var widest [2]vg.Length
	for i, m := range r.Models {
		ranks[i] = decimal(m.Rank, 2)
		names[i] = shorten(labelText, m.Name, most)
		side := min(i/left, 1)
		widest[side] = max(widest[side], labelText.Width(names[i])+tickText.Width(ranks[i])+2*gap)
	}
	low, high := math.Floor(r.Models[0].Rank), math.Ceil(r.Models[k-1].Rank)
	if high == low {
		low, high = low-1, high+1
	}
	from, to := c.Min.X+widest[0]+2*gap, c.Max.X-widest[1]-2*gap
	if to-from < 40 {
		panic("the names take all the space")
	}
	x := func(rank float64) vg.Length { return from + vg.Length((rank-low)/(high-low))*(to-from) }

	axis := c.Max.Y - rankText + 12
	write(c, labelText, draw.XCenter, (from+to)/2, c.Max.Y-labelText.Font.Size/2, "mean rank (lower is better)")
	c.StrokeLines(line(1, ink), []vg.Point{{X: from, Y: axis}, {X: to, Y: axis}})
	for _, tick := range (ticks{want: int((to - from) / 26), whole: true}).Ticks(low, high) {
		c.StrokeLines(line(1, ink), []vg.Point{{X: x(tick.Value), Y: axis}, {X: x(tick.Value), Y: axis + tickLength}})
		write(c, tickText, draw.XCenter, x(tick.Value), axis+tickLength+gap+2, tick.Label)
	}
	top := axis - rankText + 34 - vg.Length(rankBar*(slices.Max(append(levels, -1))+1))
	for i, m := range r.Models {
		row, side, end := i, draw.XRight, c.Min.X+widest[0]
		if i >= left {
			row, side, end = k-1-i, draw.XLeft, c.Max.X-widest[1]
		}
		y := top - vg.Length(row)*rankRow - rankRow/2
		c.StrokeLines(line(1.3, m.rgb()), []vg.Point{{X: x(m.Rank), Y: axis}, {X: x(m.Rank), Y: y}, {X: end, Y: y}})
		if i < left {
			write(c, tickText, side, end-gap, y, ranks[i])
			write(c, labelText, side, end-2*gap-tickText.Width(ranks[i]), y, names[i])
		} else {
			write(c, tickText, side, end+gap, y, ranks[i])
			write(c, labelText, side, end+2*gap+tickText.Width(ranks[i]), y, names[i])
		}
	}
	for g, group := range r.Groups {
		y := axis - rankBar - vg.Length(levels[g]*rankBar)
		ends := []vg.Point{{X: x(r.Models[group[0]].Rank) - 3, Y: y}, {X: x(r.Models[group[len(group)-1]].Rank) + 3, Y: y}}
		c.StrokeLines(line(3.2, softInk), ends)
		for _, i := range group {
			c.DrawGlyph(circle(white, 1.3), vg.Point{X: x(r.Models[i].Rank), Y: y})
		}
	}
}

func (m RankedModel) rgb() color.NRGBA {
	if m.Style.Colour == ByIndex {
		return ink
	}
	return m.Style.rgb()
}

func (r Ranking) check() error {
	if r.Instead != "" {
		return nil
	}
	if len(r.Models) < 2 {
		return invalid("figures: CriticalDifference got %d models, wanted 2 or more", len(r.Models))
	}
	for _, m := range r.Models {
		if err := m.Style.check(); err != nil {
			return fmt.Errorf("figures: model %q: %w", m.Name, err)
		}
		if !(m.Rank >= 1 && m.Rank <= float64(len(r.Models))) {
			return invalid("figures: model %q has mean rank %g, wanted 1 to the number of models, %d", m.Name, m.Rank,
				len(r.Models))
		}
	}
	for g, group := range r.Groups {
		if len(group) < 2 {
			return invalid("figures: group %d holds %d models, wanted 2 or more", g, len(group))
		}
		for _, i := range group {
			if i < 0 || i >= len(r.Models) {
				return invalid("figures: group %d holds model %d, wanted 0 to %d", g, i, len(r.Models)-1)
			}
		}
	}
	return nil
}

func describeRanking(axes Axes, r Ranking) string {
	sentences := []string{r.Instead}
	if r.Instead == "" {
		var each, joined []string
		for _, m := range r.Models {
			each = append(each, m.Name+" "+decimal(m.Rank, 2))
		}
		for _, group := range r.Groups {
			var names []string
			for _, i := range group {
				names = append(names, r.Models[i].Name)
			}
			joined = append(joined, strings.Join(names, " / "))
		}
		sentences = []string{fmt.Sprintf("Mean ranks of %s, the best first: %s", plain.Count(len(each), "model"),
			list(each, "; ")), "All pairs were told apart"}
		if len(joined) > 0 {
			sentences[1] = "Not told apart: " + list(joined, "; ")
		}
	}
	for i, s := range sentences {
		sentences[i] = strings.TrimSuffix(s, ".")
	}
	return axes.describe(sentences...)
}
