package series

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
)

// TennisMentions draws the targets of the accounts with the largest targets over all snapshots.
func TennisMentions(s *dyngraph.Series, count int) (*figures.Figure, error) {
	total := make([]float64, s.Nodes())
	for _, row := range s.Targets {
		floats.Add(total, row)
	}
	var lines []figures.Series
	for _, u := range ranked(total)[:min(count, s.Nodes())] {
		lines = append(lines, figures.Series{Name: nodeName(s, "account", u), X: s.Times, Y: targetsAt(s, u)})
	}
	axes := figures.Axes{Title: "The accounts with the most mentions", X: "snapshot", Y: "ln(1 + mentions)"}
	return figures.Lines(axes, lines...)
}

// TennisDegrees draws how many accounts are mentioned by how many others over all snapshots.
func TennisDegrees(s *dyngraph.Series) (*figures.Figure, error) {
	degrees := make([]int, s.Nodes())
	for _, to := range s.Pattern.To {
		degrees[to]++
	}
	slices.Sort(degrees)
	line := figures.Series{Name: "accounts"}
	for rank := range degrees {
		if degree := degrees[len(degrees)-1-rank]; degree > 0 {
			line.X, line.Y = append(line.X, float64(rank+1)), append(line.Y, float64(degree))
		}
	}
	axes := figures.Axes{
		Title: fmt.Sprintf("One account is mentioned by %.0f others, half of them by at most %d", line.Y[0],
			degrees[len(degrees)/2]),
		X: "rank of the account", Y: "mentioned by", LogX: true, LogY: true}
	return figures.Lines(axes, line)
}
