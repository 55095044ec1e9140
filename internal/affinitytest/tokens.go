package affinitytest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Tokens is data in the manner of tgbn-token, made while they are read: each week each user has up to [TokensAWeek]
// events with a few classes, and a label of their weights. Users are the nodes after the classes.
type Tokens struct{ Classes, Users, Weeks int }

// Token returns 20 million events with the numbers of nodes and classes of tgbn-token, or a few of them.
func Token(few bool) Tokens {
	if few {
		return Tokens{200, 2800, 12}
	}
	return Tokens{1001, 60755, 47}
}

// TokensAWeek is the number of events of a user in a week, before those with the same class become one.
const TokensAWeek = 8

// Week returns the labels of a week, whose entries are its events.
func (s Tokens) Week(week int) affinity.Labels {
	random := rand.New(rand.NewPCG(1, uint64(week)))
	labels := affinity.Labels{Time: float64(week), Affinities: dyngraph.Affinities{Start: []int{0}}}
	for u := s.Classes; u < s.Classes+s.Users; u++ {
		row := make([]int32, TokensAWeek)
		for k := range row {
			row[k] = int32((u*u + random.IntN(12)*random.IntN(12)) % s.Classes)
		}
		slices.Sort(row)
		for _, class := range slices.Compact(row) {
			labels.Classes = append(labels.Classes, class)
			labels.Values = append(labels.Values, random.ExpFloat64()/TokensAWeek)
		}
		labels.Nodes, labels.Start = append(labels.Nodes, int32(u)), append(labels.Start, len(labels.Classes))
	}
	return labels
}

// EventCount returns the number of events.
func (s Tokens) EventCount() (count int) {
	for week := range s.Weeks {
		count += len(s.Week(week).Classes)
	}
	return count
}

// Events streams each week's events at the time of its labels, in rounds through the users.
func (s Tokens) Events(context.Context) dyngraph.Events {
	return func(yield func(dyngraph.Event, error) bool) {
		for week := range s.Weeks {
			labels := s.Week(week)
			for round := range TokensAWeek {
				for k, u := range labels.Nodes {
					at := labels.Start[k] + round
					if at >= labels.Start[k+1] {
						continue
					}
					if !yield(dyngraph.Event{Time: labels.Time, Source: u, Destination: labels.Classes[at],
						Weight: TokensAWeek * labels.Values[at]}, nil) {
						return
					}
				}
			}
		}
	}
}

// Labels streams the labels of each week.
func (s Tokens) Labels(context.Context) iter.Seq2[affinity.Labels, error] {
	return func(yield func(affinity.Labels, error) bool) {
		for week := range s.Weeks {
			if !yield(s.Week(week), nil) {
				return
			}
		}
	}
}

// Nodes implements [affinity.Source].
func (s Tokens) Nodes() (names []string, classes int) {
	for u := range s.Classes + s.Users {
		names = append(names, fmt.Sprint(u))
	}
	return names, s.Classes
}

var _ affinity.Source = Tokens{}
