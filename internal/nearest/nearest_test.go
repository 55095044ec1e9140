package nearest

import "testing"

func TestOf(t *testing.T) {
	known := []string{"table1", "table-wealth", "epidemics", "peng", "ridge"}
	for got, want := range map[string]string{
		"tabel1": "table1", "Epidemics": "epidemics", "epidmics": "epidemics", "pong": "peng",
		"rigde": "", "": "", "constant": "", "table1": "table1", "ridg": "ridge", "tablewealth": "table-wealth",
	} {
		if name := Of(got, known); name != want {
			t.Errorf("%q is near %q, want %q", got, name, want)
		}
	}
}

func TestWant(t *testing.T) {
	if text := Want("pong", []string{"peng", "zero"}); text != "want one of peng, zero; did you mean peng?" {
		t.Errorf("%q", text)
	}
	if text := Want("x", []string{"peng"}); text != "want one of peng" {
		t.Errorf("%q", text)
	}
	if d := distance([]rune("kitten"), []rune("sitting")); d != 3 {
		t.Errorf("kitten is %d from sitting, want 3", d)
	}
}
