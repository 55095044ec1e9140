package countsort

import (
	"slices"
	"testing"
)

func TestOrder(t *testing.T) {
	from, to := []int32{2, 0, 2, 0, 3}, []int32{1, 3, 0, 1, 1}
	if got, want := Starts(5, from), []int32{0, 2, 2, 4, 5, 5}; !slices.Equal(got, want) {
		t.Errorf("starts %v, want %v", got, want)
	}
	if got, want := Order(5, from, nil), []int32{1, 3, 0, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("by source %v, want %v", got, want)
	}
	if got, want := Order(5, from, Order(5, to, nil)), []int32{3, 1, 2, 0, 4}; !slices.Equal(got, want) {
		t.Errorf("by source and target %v, want %v", got, want)
	}
}
