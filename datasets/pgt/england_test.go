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

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

func england(t *testing.T, options ...Option) *dyngraph.Series {
	t.Helper()
	s, err := EnglandCovid(options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnglandCovid(t *testing.T) {
	s := england(t)
	if s.Nodes() != 129 || len(s.Times) != 53 || s.FeatureSize != 8 || s.TargetSize != 1 || s.Pattern.Edges() != 2346 {
		t.Fatalf("%d nodes, %d snapshots, %d features, %d targets, %d edges; want 129, 53, 8, 1, 2346",
			s.Nodes(), len(s.Times), s.FeatureSize, s.TargetSize, s.Pattern.Edges())
	}
	within, between := 0.0, 0.0 // largest weights
	for _, weights := range s.Weights {
		for e, w := range weights {
			if s.Pattern.From[e] == s.Pattern.To[e] {
				within = max(within, w)
			} else {
				between = max(between, w)
			}
		}
	}
	if within != 965153 || between != 9159 {
		t.Errorf("largest weights %g within and %g between regions, want 965153 and 9159", within, between)
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
					span    dyngraph.Span
					changed bool
				}{
					{"features", after.Steps.Features, differ(cases(after, i, after.Features[i]), cases(before, i,
						before.Features[i]))},
					{"target", after.Steps.Targets, differ(cases(after, i, after.Targets[i]), cases(before, i,
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
		s := england(t, Standardise(standardisation))
		for i, scale := range s.Scales {
			features, err1 := scale.Restore(s.Features[i])
			targets, err2 := scale.Restore(s.Targets[i])
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for _, v := range slices.Concat(features, targets) {
				if math.Abs(v-math.Round(v)) > 1e-9 || v < -1e-9 {
					t.Fatalf("%v, snapshot %d: %g cases", standardisation, i, v)
				}
			}
		}
	}
}

// The published standardisation leaves mean 0 and variance 1 over all days: those of the features of snapshots 0 and
// 52, and 45 targets between.
func TestPublished(t *testing.T) {
	s := england(t)
	for u := range 129 {
		days := slices.Clone(s.Features[0][u*8 : (u+1)*8])
		for i := range s.Targets {
			days = append(days, s.Targets[i][u])
		}
		mean, variance := stat.PopMeanVariance(days, nil)
		if len(days) != 61 || math.Abs(mean) > 1e-12 || math.Abs(variance-1) > 1e-9 {
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

// A damaged copy of the shipped file is noticed wherever the damage lies.
func TestCorruptShippedFile(t *testing.T) {
	if _, err := shipped(englandCovid, strings.Repeat("0", 64)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("other sha256: error %v, want ErrCorrupt", err)
	}
	for _, at := range []int{0, 500, len(englandCovid) / 2, len(englandCovid) - 6} {
		damaged := bytes.Clone(englandCovid)
		damaged[at] ^= 0x41
		content, err := shipped(damaged, englandCovidSHA256)
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d changed: %d bytes, error %v, want ErrCorrupt", at, len(content), err)
		}
	}
	if _, err := shipped(englandCovid[:len(englandCovid)/2], englandCovidSHA256); !errors.Is(err, ErrCorrupt) {
		t.Errorf("half the file: error %v, want ErrCorrupt", err)
	}
}

func TestSourceNamesTheShippedFile(t *testing.T) {
	for _, c := range []struct {
		source     string
		compressed []byte
		sha256     string // uncompressed
	}{
		{"england_covid.txt", englandCovid, englandCovidSHA256},
		{"twitter_tennis.txt", tennisFiles[RG17].content, tennisFiles[RG17].sha256},
		{"twitter_tennis.txt", tennisFiles[UO17].content, tennisFiles[UO17].sha256},
	} {
		text, err := os.ReadFile(c.source)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shipped(c.compressed, c.sha256); err != nil {
			t.Errorf("%s: %v", c.source, err)
		}
		sum := sha256.Sum256(c.compressed)
		for _, hash := range []string{c.sha256, hex.EncodeToString(sum[:])} {
			if !strings.Contains(string(text), hash) {
				t.Errorf("%s lacks sha256 %s", c.source, hash)
			}
		}
	}
}
