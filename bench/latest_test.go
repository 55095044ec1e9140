package bench

import "testing"

// Seconds come from one machine, from epochs with all series in one step, and once for each number of nodes.
func TestEpochSeconds(t *testing.T) {
	row := func(model string, n int, seconds float64, batch int, machine string) Row {
		return Row{Model: model, N: n, Ours: seconds, Batch: batch, origin: origin{Machine: machine}}
	}
	f := File{Rows: []Row{row("peng", 100, 1, 0, "a"), row("peng", 128, 2, 0, "a"), row("peng", 130, 9, 0, "a"),
		row("peng", 1024, 9, 1, "a"), row("pre-mult", 128, 3, 0, "a"), row("pre-mult", 256, 9, 0, "b")}}
	seconds, machine := f.EpochSeconds()
	if machine != "a" || len(seconds["peng"]) != 2 || seconds["peng"][100] != 1 || seconds["peng"][144] != 2 ||
		len(seconds["pre-mult"]) != 1 || seconds["pre-mult"][144] != 3 {
		t.Errorf("%v on %q", seconds, machine)
	}
	latest, err := Latest()
	if err != nil {
		t.Fatal(err)
	}
	seconds, machine = latest.EpochSeconds()
	if seconds["peng"][529] <= 0 || seconds["pre-mult"][529] <= 0 || machine == "" {
		t.Errorf("what comes with the module: %v on %q", seconds, machine)
	}
}
