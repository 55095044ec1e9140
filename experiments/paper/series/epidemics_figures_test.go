package series

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/experiments"
)

// Figures of a country name its regions and dates: a day to forecast lies 8 days after the snapshot's first.
func TestFiguresOfCountries(t *testing.T) {
	s, err := pgt.ItalyCovid()
	if err != nil {
		t.Fatal(err)
	}
	largest, err := Busiest(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := Regions(s, "lodi", "roma")
	if err != nil || s.NodeNames[chosen[0]] != "lodi" || s.NodeNames[chosen[1]] != "roma" {
		t.Fatalf("regions %v (%v), want lodi and roma", chosen, err)
	}
	for name, c := range map[string]struct {
		draw func() (string, error)
		want []string
	}{
		"cases of some": {func() (string, error) {
			f, err := CasesOf(s, append(largest, chosen...))
			return f.Alt(), err
		}, []string{"3 Mar 2020 to 12 May 2020", "milano", "lodi"}},
		"cases": {func() (string, error) { f, err := Cases(s); return f.Alt(), err }, []string{"105 rows and 71 columns"}},
		"movement": {func() (string, error) { f, err := Movement(s); return f.Alt(), err },
			[]string{"24 Feb 2020 to 4 May 2020"}},
		"flows": {func() (string, error) { f, err := Flows(s); return f.Alt(), err },
			[]string{"105 regions", "24 February 2020", "4 May 2020"}},
	} {
		alt, err := c.draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range c.want {
			if !strings.Contains(alt, want) {
				t.Errorf("%s: %q lacks %q", name, alt, want)
			}
		}
	}
	if _, err := Regions(s, "lodu"); !errors.Is(err, experiments.ErrInput) || !strings.Contains(err.Error(),
		"did you mean lodi?") {
		t.Errorf("a region that is none: %v", err)
	}
	bare := *s
	bare.NodeNames, bare.Dates = nil, nil
	if _, err := Regions(&bare, "lodi"); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("a series without names: %v, want ErrInput", err)
	}
	if _, err := CasesOf(&bare, []int{105}); !errors.Is(err, experiments.ErrInput) {
		t.Errorf("a region beyond the last: %v, want ErrInput", err)
	}
	counted, err := CasesOf(&bare, []int{slices.Max(largest)})
	if err != nil || !strings.Contains(counted.Alt(), "over day 0 to 70") {
		t.Errorf("without dates: %q (%v), want days that are counted", counted.Alt(), err)
	}
}

// Names and dates, which were added to England's file later, do not change stored runs.
func TestNamesLeaveTheDigest(t *testing.T) {
	s, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	const stored = "e1d7d956d2979e5cac204b18bb81607e" // of runs that were made without names
	if digest := experiments.Digest(s); digest != stored || s.NodeNames == nil || s.Dates == nil {
		t.Errorf("digest %s with %d names, want %s", digest, len(s.NodeNames), stored)
	}
}
