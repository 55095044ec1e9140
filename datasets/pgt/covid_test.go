package pgt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// loaded is a shipped series.
func loaded(t *testing.T, load func(...Option) (*dyngraph.Series, error), options ...Option) *dyngraph.Series {
	t.Helper()
	s, err := load(options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What each country has, counted in its file by other code: daily edges count the edges of all days, also of the last
// 8, which no snapshot shows.
func TestCountries(t *testing.T) {
	for _, c := range []struct {
		name                              string
		load                              func(...Option) (*dyngraph.Series, error)
		file                              shippedFile
		nodes, days, dailyEdges, isolated int
		names                             map[int]string
		first, last                       string // dates of days
		within, between                   float64
	}{
		{"england_covid", EnglandCovid, england, 129, 61, 82529, 0,
			map[int]string{0: "Cambridgeshire", 56: "Birmingham", 128: "Barking and Dagenham"},
			"2020-03-13", "2020-05-12", 965153, 9159},
		{"italy_covid", ItalyCovid, italy, 105, 79, 36988, 0,
			map[int]string{0: "agrigento", 3: "aosta", 104: "viterbo"}, "2020-02-24", "2020-05-12", 851839, 10037},
		{"france_covid", FranceCovid, france, 94, 64, 23514, 13,
			map[int]string{0: "ain", 4: "hautes_alpes", 93: "val_d'oise"}, "2020-03-10", "2020-05-12", 510469, 29212},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := loaded(t, c.load)
			if s.Name != c.name || s.Nodes() != c.nodes || len(s.Times) != c.days-8 || s.FeatureSize != 8 {
				t.Errorf("%q: %d nodes, %d snapshots of %d features, want %q: %d, %d, 8", s.Name, s.Nodes(),
					len(s.Times), s.FeatureSize, c.name, c.nodes, c.days-8)
			}
			for u, name := range c.names {
				if s.NodeNames[u] != name {
					t.Errorf("node %d is %q, want %q", u, s.NodeNames[u], name)
				}
			}
			first, last := s.Dates[0], s.Dates[len(s.Dates)-1].AddDate(0, 0, 8)
			if first.Format(time.DateOnly) != c.first || last.Format(time.DateOnly) != c.last {
				t.Errorf("days from %v to %v, want %s to %s", first, last, c.first, c.last)
			}
			content, err := c.file.open()
			if err != nil {
				t.Fatal(err)
			}
			var f file
			if err := (config{}).unmarshal(content, &f); err != nil {
				t.Fatal(err)
			}
			dailyEdges := 0
			for _, pairs := range f.Edges.Index {
				dailyEdges += len(pairs)
			}
			linked, within, between := make([]bool, c.nodes), 0.0, 0.0 // largest weights
			for e, from := range s.Pattern.From {
				to := s.Pattern.To[e]
				linked[from], linked[to] = true, true
				for _, weights := range s.Weights {
					if from == to {
						within = max(within, weights[e])
					} else {
						between = max(between, weights[e])
					}
				}
			}
			isolated := 0
			for _, l := range linked {
				if !l {
					isolated++
				}
			}
			if dailyEdges != c.dailyEdges || isolated != c.isolated {
				t.Errorf("%d edges of all days, %d isolated nodes, want %d and %d", dailyEdges, isolated, c.dailyEdges,
					c.isolated)
			}
			if within != c.within || between != c.between {
				t.Errorf("largest weights %g within and %g between regions, want %g and %g", within, between, c.within,
					c.between)
			}
		})
	}
}

func TestEnglandCovid(t *testing.T) {
	s := loaded(t, EnglandCovid)
	if s.Nodes() != 129 || len(s.Times) != 53 || s.FeatureSize != 8 || s.TargetSize != 1 || s.Pattern.Edges() != 2346 {
		t.Fatalf("%d nodes, %d snapshots, %d features, %d targets, %d edges; want 129, 53, 8, 1, 2346",
			s.Nodes(), len(s.Times), s.FeatureSize, s.TargetSize, s.Pattern.Edges())
	}
	for i := range 52 {
		for u := range 129 {
			// Features slide by a day, and the target joins them.
			now, next := s.Features[i][u*8:(u+1)*8], s.Features[i+1][u*8:(u+1)*8]
			if !slices.Equal(now[1:], next[:7]) || next[7] != s.Targets[i][u] {
				t.Fatalf("snapshot %d, node %d: features %v, target %g, then %v", i, u, now, s.Targets[i][u], next)
			}
		}
	}
}

// What Steps says of a snapshot's features and target is what changes when the cases of a day change, for any lag.
func TestStepsAreTheDaysThatShow(t *testing.T) {
	for _, lag := range []int{1, 3, 8} {
		load := func(changed int) *dyngraph.Series {
			var f file
			f.Periods = 15
			f.Edges.Index, f.Edges.Weight = map[string][][]*int{}, map[string][]*float64{}
			for day := range f.Periods {
				value, one, node := float64(day*day%7), 1., 0
				if day == changed {
					value += 100
				}
				f.Cases = append(f.Cases, []*float64{&value})
				key := strconv.Itoa(day)
				f.Edges.Index[key], f.Edges.Weight[key] = [][]*int{{&node, &node}}, []*float64{&one}
			}
			s, err := config{lag: lag}.series(&f)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		before := load(-1)
		cases := func(s *dyngraph.Series, i int, values []float64) []float64 {
			restored, err := s.Scales[i].Restore(values)
			if err != nil {
				t.Fatal(err)
			}
			return restored
		}
		differ := func(a, b []float64) bool {
			return slices.ContainsFunc(a, func(v float64) bool {
				return !slices.ContainsFunc(b,
					func(w float64) bool { return math.Abs(v-w) < 1 })
			})
		}
		for day := range 15 {
			after := load(day)
			for i := range after.Times {
				for _, c := range []struct {
					name    string
					span    dyngraph.StepRange
					changed bool
				}{
					{"features", after.Alignment.Features, differ(cases(after, i, after.Features[i]), cases(before, i,
						before.Features[i]))},
					{"target", after.Alignment.Targets, differ(cases(after, i, after.Targets[i]), cases(before, i,
						before.Targets[i]))},
				} {
					if want := i+c.span.First <= day && day <= i+c.span.Last; c.changed != want {
						t.Fatalf("lag %d: %s of snapshot %d show day %d: %v, Steps says %v", lag, c.name, i, day,
							c.changed, want)
					}
				}
			}
		}
	}
}

// Scales lead back to the counts of the file, which are whole numbers.
func TestCases(t *testing.T) {
	for _, standardisation := range []Standardisation{Published, PastOnly} {
		s := loaded(t, EnglandCovid, Standardise(standardisation))
		for i, scale := range s.Scales {
			features, err1 := scale.Restore(s.Features[i])
			targets, err2 := scale.Restore(s.Targets[i])
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for _, v := range slices.Concat(features, targets) {
				if !(math.Abs(v-math.Round(v)) <= 1e-9) || v < -1e-9 {
					t.Fatalf("%v, snapshot %d: %g cases", standardisation, i, v)
				}
			}
		}
	}
}

// The published standardisation leaves mean 0 and variance 1 over all days: the days in the features of snapshots 0 and
// 52, and the days of 45 targets between.
func TestPublished(t *testing.T) {
	s := loaded(t, EnglandCovid)
	for u := range 129 {
		days := slices.Clone(s.Features[0][u*8 : (u+1)*8])
		for i := range s.Targets {
			days = append(days, s.Targets[i][u])
		}
		mean, variance := stat.PopMeanVariance(days, nil)
		if len(days) != 61 || !(math.Abs(mean) <= 1e-12) || !(math.Abs(variance-1) <= 1e-9) {
			t.Fatalf("node %d: %d days of mean %g and variance %g, want 61, 0, 1", u, len(days), mean, variance)
		}
	}
}

// What lies after day i+lag-2 must not change the scale of snapshot i.
func TestPastOnlySeesThePast(t *testing.T) {
	const lag, changed = 3, 6 // the day whose cases change
	cases := func(at float64) [][]float64 {
		c := make([][]float64, 12)
		for day := range c {
			c[day] = []float64{float64(day * day % 7), 0}
		}
		c[changed][0] = at
		return c
	}
	c := config{lag: lag, standardisation: PastOnly}
	before, after := c.scales(cases(3), 12-lag), c.scales(cases(3000), 12-lag)
	for i := range before {
		same := before[i].Mean[0] == after[i].Mean[0] && before[i].Std[0] == after[i].Std[0]
		if seen := changed <= i+lag-2; same == seen {
			t.Errorf("scale of snapshot %d: a change of day %d shows is %v, want %v", i, changed, !same, seen)
		}
		if before[i].Std[1] != leastDeviation {
			t.Errorf("deviation %g without cases, want %d", before[i].Std[1], leastDeviation)
		}
	}
}

// A damaged copy of a shipped file is noticed wherever the damage lies.
func TestCorruptShippedFile(t *testing.T) {
	if _, err := (shippedFile{england.content, strings.Repeat("0", 64)}).open(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("other sha256: error %v, want ErrCorrupt", err)
	}
	for _, at := range []int{0, 500, len(england.content) / 2, len(england.content) - 6} {
		damaged := bytes.Clone(england.content)
		damaged[at] ^= 0x41
		content, err := shippedFile{damaged, england.sha256}.open()
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d changed: %d bytes, error %v, want ErrCorrupt", at, len(content), err)
		}
	}
	half := shippedFile{england.content[:len(england.content)/2], england.sha256}
	if _, err := half.open(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("half the file: error %v, want ErrCorrupt", err)
	}
}

func TestSourceNamesTheShippedFile(t *testing.T) {
	for _, c := range []struct {
		source string
		file   shippedFile
	}{
		{"england_covid.txt", england}, {"england_covid.txt", englandNames},
		{"italy_covid.txt", italy}, {"france_covid.txt", france},
		{"twitter_tennis.txt", tennisFiles[RG17]}, {"twitter_tennis.txt", tennisFiles[UO17]},
	} {
		text, err := os.ReadFile(c.source)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.file.open(); err != nil {
			t.Errorf("%s: %v", c.source, err)
		}
		sum := sha256.Sum256(c.file.content)
		for _, hash := range []string{c.file.sha256, hex.EncodeToString(sum[:])} {
			if !strings.Contains(string(text), hash) {
				t.Errorf("%s lacks sha256 %s", c.source, hash)
			}
		}
	}
}
