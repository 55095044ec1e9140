package pages

import (
	"slices"
	"testing"
)

func TestSentences(t *testing.T) {
	got := sentences("A is better than B (p 0.005), C etc. with D. Of 3 runs 2 diverged. No rank.")
	want := []string{"A is better than B (p 0.005), C etc. with D.", "Of 3 runs 2 diverged.", "No rank."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
