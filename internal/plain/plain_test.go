package plain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    []string
	}{
		{"", 5, []string{""}},
		{"a b c", 3, []string{"a b", "c"}},
		{"abcdefg h", 3, []string{"abc", "def", "g h"}},
		{"地域 a", 3, []string{"地", "域", "a"}},
		{"e\u0301e\u0301 x", 4, []string{"e\u0301e\u0301 x"}},
	} {
		if diff := cmp.Diff(c.want, Wrap(c.text, c.columns)); diff != "" {
			t.Errorf("%q in %d columns: %s", c.text, c.columns, diff)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 epochs", 1: "1 epoch", 2: "2 epochs"} {
		if got := Count(n, "epoch"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
