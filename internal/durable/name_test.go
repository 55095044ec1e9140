package durable

import "testing"

func TestIsName(t *testing.T) {
	for _, name := range []string{"sir", "table-wealth", "my own study", "a.b", "é", "x..y"} {
		if !IsName(name) {
			t.Errorf("%q is no name", name)
		}
	}
	for _, name := range []string{"", ".", "..", "../../escaped", "/etc", "a/b", `a\b`, "a/..", ".git", "C:", "c:x",
		"a\x00"} {
		if IsName(name) {
			t.Errorf("%q is a name", name)
		}
	}
}
