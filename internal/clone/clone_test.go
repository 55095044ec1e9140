package clone_test

import (
	"reflect"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/clone"
)

type base struct{ Rows [][]int }

type options struct {
	base
	Step   *float64
	Any    any
	Empty  []int
	Shared *int `json:"-"`
	hidden []int
}

func made() options {
	step, shared := 1.0, 2
	return options{base{[][]int{{1}, {2}}}, &step, base{[][]int{{3}}}, []int{}, &shared, []int{4}}
}

// A copy is equal, and changes of the original do not reach it.
func TestOf(t *testing.T) {
	original := made()
	got := clone.Of(original)
	original.Rows[0][0], *original.Step, original.Any.(base).Rows[0][0] = 9, 9, 9
	original.Rows[1] = nil
	if want := made(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Shared != original.Shared || &got.hidden[0] != &original.hidden[0] {
		t.Error("a field that is not stored was copied")
	}
	if got := clone.Of[any](&original); got != &original {
		t.Error("the pointer in an interface was replaced")
	}
}
