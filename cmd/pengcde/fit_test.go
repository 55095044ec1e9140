package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ring writes files of visitors who travel around a ring of towns, beginning at a day, with a given name for one
// town.
func ring(t *testing.T, folder, prefix string, first, days int, last string) {
	t.Helper()
	var flows, visits bytes.Buffer
	fmt.Fprintln(&flows, "day,from,to,people")
	fmt.Fprintln(&visits, "day,town,visitors,rain")
	names := []string{"Ayr", "Bath", "Cork", last}
	for day := first; day < first+days; day++ {
		date := time.Date(2024, 1, 1+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		for u, name := range names {
			fmt.Fprintf(&flows, "%s,%s,%s,%d\n", date, name, names[(u+1)%len(names)], 10+(day*7+u*3)%11)
			fmt.Fprintf(&visits, "%s,%s,%d,%d\n", date, name, 100*(u+1)+(day*13+u*5)%29, (day+u)%3)
		}
	}
	for name, content := range map[string][]byte{"flows.csv": flows.Bytes(), "visits.csv": visits.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, prefix+name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var columns = []string{"--time", "day", "--source", "from", "--destination", "to", "--weight", "people",
	"--node", "town"}

func fitting(more ...string) []string {
	return slices.Concat([]string{"fit", "--edges", "flows.csv", "--nodes", "visits.csv", "--target", "visitors",
		"--feature", "rain", "--lags", "3", "--inputs", "3", "--hidden", "2", "--epochs", "3", "--horizon", "2",
		"--backend", "go"}, columns, more)
}

func TestFitAndForecast(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	said := output(t, folder, fitting()...)
	for _, text := range []string{"against", "recent mean", "ridge", "absolute", "mean over 1 to 2 snapshots ahead",
		"Errors by time ahead", "80% intervals 2 ahead held",
		"visitors-forecast/model.pengcde"} {
		if !strings.Contains(said, text) {
			t.Errorf("fit says nothing of %q:\n%s", text, said)
		}
	}
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "pengcde forecast") && len([]rune(line)) > 81 {
			t.Errorf("line of %d columns: %s", len([]rune(line)), line)
		}
	}
	for _, name := range []string{"model.pengcde", "forecasts.csv", "errors.csv", "report.html"} {
		if info, err := os.Stat(filepath.Join(folder, "visitors-forecast", name)); err != nil || info.Size() < 200 {
			t.Errorf("%s: %v", name, err)
		}
	}
	visits, err := os.ReadFile(filepath.Join(folder, "visits.csv"))
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(visits), "visitors", `rate/km\2`, 1)
	if err := os.WriteFile(filepath.Join(folder, "rates.csv"), []byte(renamed), 0o600); err != nil {
		t.Fatal(err)
	}
	rates := fitting("--nodes", "rates.csv", "--epochs", "1")
	rates[slices.Index(rates, "visitors")] = `rate/km\2`
	output(t, folder, rates...)
	if _, err := os.Stat(filepath.Join(folder, "rate-km-2-forecast", "report.html")); err != nil {
		t.Errorf("the folder of a target with slashes: %v", err)
	}
	forecasting := []string{"forecast", "visitors-forecast", "--backend", "go"}
	ring(t, folder, "new_", 35, 10, "Deal")
	said = output(t, folder, append(forecasting, "--edges", "new_flows.csv", "--nodes", "new_visits.csv")...)
	if !strings.Contains(said, "2 after 2024-02-14: 2024-02-16") {
		t.Errorf("forecast says:\n%s", said)
	}
	written, err := os.ReadFile(filepath.Join(folder, "new-forecasts.csv"))
	if lines := strings.Split(string(written), "\n"); err != nil || len(lines) != 1+2*4+1 ||
		lines[0] != "node,from,ahead,time,PENG-CDE,lower 80%,upper 80%,lower 95%,upper 95%" ||
		!strings.HasPrefix(lines[1], "Ayr,2024-02-14,1,2024-02-15,") ||
		!strings.HasPrefix(lines[8], "Deal,2024-02-14,2,2024-02-16,") {
		t.Errorf("%v:\n%s", err, written)
	}

	ring(t, folder, "other_", 35, 10, "Ely")
	ring(t, folder, "short_", 35, 3, "Deal")
	for _, c := range []struct{ edges, nodes, says string }{
		{"other_flows.csv", "other_visits.csv", `"Ely"`},
		{"short_flows.csv", "short_visits.csv", "give files with 5 snapshots at least"},
		{"visits.csv", "flows.csv", `"from"`},
		{"none.csv", "visits.csv", "none.csv"},
	} {
		failed := command(folder, append(forecasting, "--edges", c.edges, "--nodes", c.nodes, "--out", "bad.csv")...)
		said, err := failed.CombinedOutput()
		if err == nil || !strings.Contains(string(said), c.says) || strings.Contains(string(said), "goroutine") {
			t.Errorf("%s and %s: %v, want an error that says %s:\n%s", c.edges, c.nodes, err, c.says, said)
		}
		if _, err := os.Stat(filepath.Join(folder, "bad.csv")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s and %s: a file is written all the same, %v", c.edges, c.nodes, err)
		}
	}
}

// fit sees texts and dates, and forecasts several columns; a stored model does the same again.
func TestFitColumns(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	change(t, folder, "visits.csv", "kinds.csv", "rain\n", "rain,kind\n", ",0\n", ",0,inland\n", ",1\n",
		",1,coast\n", ",2\n", ",2,\n")
	args := fitting("--nodes", "kinds.csv", "--category", "kind", "--calendar", "weekday,month", "--epochs", "1")
	output(t, folder, args...)
	output(t, folder, "forecast", "visitors-forecast", "--backend", "go", "--edges", "flows.csv", "--nodes", "kinds.csv")
	says := output(t, folder, "fit", "--edges", "flows.csv", "--nodes", "visits.csv", "--target", "visitors", "--target",
		"rain", "--weight", "people", "--node", "town", "--lags", "3", "--inputs", "3", "--hidden", "2", "--epochs", "1",
		"--backend", "go")
	for _, text := range []string{"mean over 2 targets", "Written to visitors-rain-forecast", " visitors\n", " rain\n"} {
		if !strings.Contains(says, text) {
			t.Errorf("fit of two targets says nothing of %q:\n%s", text, says)
		}
	}
	says = output(t, folder, "forecast", "visitors-rain-forecast", "--backend", "go", "--edges", "flows.csv", "--nodes",
		"visits.csv", "--out", "two.parquet")
	if !strings.Contains(says, "rain of 4 nodes, 1 after 2024-02-09: 2024-02-10") {
		t.Error(says)
	}
	said, err := command(folder, append(args, "--calendar", "day")...).CombinedOutput()
	if err == nil || !strings.Contains(string(said), `--calendar day, want "weekday", "month" or both`) {
		t.Errorf("%v:\n%s", err, said)
	}
}

// fit --model auto says what it chose, by how much, and what the graph is worth, and its model forecasts.
func TestFitAuto(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 40, "Deal")
	said := output(t, folder, fitting("--model", "auto", "--seeds", "1", "--epochs", "1")...)
	for _, text := range []string{" has the lowest error on ", "PENG-CDE + linear", "DCRNN", "GN-ODE",
		"from the graph is shown",
		"than without edges"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), text) {
			t.Errorf("fit says nothing of %q:\n%s", text, said)
		}
	}
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "pengcde forecast") && len([]rune(line)) > 81 {
			t.Errorf("line of %d columns: %s", len([]rune(line)), line)
		}
	}
	ring(t, folder, "new_", 35, 10, "Deal")
	output(t, folder, "forecast", "visitors-forecast", "--backend", "go", "--edges", "new_flows.csv", "--nodes",
		"new_visits.csv")
}

func TestFitInputErrors(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 8, "Deal")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"too few", fitting()},
		{"day", fitting("--time", "time")},
		{"cases", fitting("--target", "cases")},
		{"step", fitting("--step", "soon")},
		{"--horizon 0, want 1 or more", fitting("--horizon", "0")},
		{"--first 0, want 1 or more", fitting("--first", "0")},
		{"--inputs 1, want 2 or more", fitting("--inputs", "1")},
		{"--first 3, want 1 to the horizon, 2", fitting("--first", "3")},
		{"did you mean gn-ode?", fitting("--field", "gnode")},
		{"did you mean auto?", fitting("--model", "aut")},
		{"--seeds -1, want 1", fitting("--seeds=-1")},
		{"budget", fitting("--budget", "soon")},
		{"budget", fitting("--budget=-1m")},
		{"--epochs 0, want 1", fitting("--epochs", "0")},
		{"--seeds 0, want 1", fitting("--seeds", "0")},
		{"--budget 0s, want a positive time", fitting("--budget", "0s")},
		{"--inputs 0, want 2", fitting("--inputs", "0")},
		{"--hidden -2, want 1", fitting("--hidden=-2")},
		{"without-edges", fitting("--without-edges", "some")},
		{"missing flags", []string{"fit", "--edges", "flows.csv"}},
		{"nothing.csv", fitting("--edges", "nothing.csv")},
	} {
		said, err := command(folder, c.args...).CombinedOutput()
		if text := strings.ToLower(string(said)); err == nil || !strings.Contains(text, c.says) ||
			strings.Contains(text, "goroutine") {
			t.Errorf("%v, want an error that says %s:\n%s", err, c.says, said)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "visitors-forecast", "model.pengcde")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a model is written all the same: %v", err)
	}
}

// After Ctrl-C, fit says how to continue, and the same command writes the same files as an undisturbed run.
func TestFitGoesOnAfterCtrlC(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 60, "Deal")
	long := func(out string) []string { return fitting("--epochs", "300", "--out", out) }
	var stderr bytes.Buffer
	c := command(folder, long("stopped")...)
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	checkpoints := func() []string {
		all, err := filepath.Glob(filepath.Join(folder, "stopped", ".checkpoint-*.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if len(checkpoints()) > 0 {
			break
		}
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted ||
		!strings.Contains(stderr.String(), "the same command goes on from here") {
		t.Fatalf("%v:\n%s", err, &stderr)
	}
	if _, err := os.Stat(filepath.Join(folder, "stopped", "model.pengcde")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the interrupted fit wrote a model: %v", err)
	}
	cutOff := len(checkpoints())
	output(t, folder, fitting("--seed", "7", "--out", "stopped")...)
	if left := checkpoints(); cutOff == 0 || len(left) != cutOff {
		t.Errorf("%d checkpoints of the training that was cut off, %q after another one to the same folder", cutOff, left)
	}
	output(t, folder, long("stopped")...)
	if left := checkpoints(); len(left) > 0 {
		t.Errorf("checkpoints stay: %q", left)
	}
	output(t, folder, long("whole")...)
	for _, name := range []string{"model.pengcde", "forecasts.csv", "errors.csv", "report.html"} {
		one, err := os.ReadFile(filepath.Join(folder, "stopped", name))
		two, err2 := os.ReadFile(filepath.Join(folder, "whole", name))
		if err != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Errorf("%s differs after an interrupt: %v, %v", name, err, err2)
		}
	}
}

// A second fit into one folder ends at once and names the first, which goes on. A fit that fails leaves no
// new folder, and one that is killed keeps nobody from the folder.
func TestTwoFitsIntoOneFolder(t *testing.T) {
	folder := t.TempDir()
	ring(t, folder, "", 0, 60, "Deal")
	lock := filepath.Join(folder, "visitors-forecast", ".fit.lock")
	first := command(folder, fitting("--epochs", "100000")...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = first.Process.Kill()
		_ = first.Wait()
	})
	defer stop()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(lock); err == nil {
			break
		}
	}
	said, err := command(folder, fitting()...).CombinedOutput()
	for _, want := range []string{"another fit writes into visitors-forecast", "give each an --out of its own",
		fmt.Sprintf("process %d on ", first.Process.Pid), ".fit.lock"} {
		if err == nil || !strings.Contains(string(said), want) {
			t.Errorf("%v, want an error that says %q:\n%s", err, want, said)
		}
	}
	if err := first.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the first fit has ended: %v", err)
	}
	stop()
	output(t, folder, fitting("--epochs", "1")...)
	if _, err := os.Stat(lock); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lease stays after a fit: %v", err)
	}
	ring(t, folder, "short_", 0, 8, "Deal")
	if said, err := command(folder, fitting("--edges", "short_flows.csv", "--nodes", "short_visits.csv", "--out",
		"new")...).CombinedOutput(); err == nil {
		t.Errorf("a fit of too few days:\n%s", said)
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a fit that failed leaves a folder: %v", err)
	}
}
