package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzSeeds checks that every text gives either an error and no seeds, or seeds that survive writing and reading
// again.
func FuzzSeeds(f *testing.F) {
	for _, text := range []string{
		"0", "0-4,7", " 3 , 5-5", "4-0", "0-10000", "0-9999", "18446744073709551615",
		"18446744073709551614-18446744073709551615",
		"18446744073709551616", "-1", "1-", "1-2-3", "1, -2", "", ",", "+1", "0x1", "1e3", "١",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again seeds
		if err := s.UnmarshalText([]byte(text)); err != nil {
			if len(s) != 0 {
				t.Fatalf("%q gives %d seeds beside %v", text, len(s), err)
			}
			return
		}
		if len(s) == 0 || len(s) > maxSeeds*(1+strings.Count(text, ",")) {
			t.Fatalf("%q gives %d seeds", text, len(s))
		}
		var written []string
		for _, seed := range s {
			written = append(written, strconv.FormatUint(seed, 10))
		}
		if err := again.UnmarshalText([]byte(strings.Join(written, ","))); err != nil || !slices.Equal(again, s) {
			t.Fatalf("%q is %d seeds, and written out %d, %v", text, len(s), len(again), err)
		}
	})
}
