package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

// commandEnv makes the test program behave as the command, so that a test can kill it.
const commandEnv = "PENGCDE_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns a call of the program with a results folder.
func command(folder string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Dir = folder // outside the checkout, whose shipped runs would be found
	c.Env = append(os.Environ(), commandEnv+"=1", experiments.ResultsEnv+"="+folder, experiments.ProfileEnv+"=quick")
	return c
}

func output(t *testing.T, folder string, args ...string) string {
	t.Helper()
	c := command(folder, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("pengcde %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// several selects runs of several models that take seconds.
var several = []string{"--models", "constant,zero,recent-mean", "--seeds", "0-1", "--only", "country=england"}

func run(more ...string) []string {
	return append(append([]string{"run", "epidemics", "--backend", "go"}, several...), more...)
}

func stored(t *testing.T, folder string) (report experiments.Report) {
	t.Helper()
	text := output(t, folder, append([]string{"show", "epidemics", "--format", "json"}, several...)...)
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

func files(t *testing.T, folder, pattern string) map[string]string {
	t.Helper()
	folder = filepath.Join(folder, "epidemics") // its path may contain characters that are special in patterns
	paths, err := fs.Glob(os.DirFS(folder), pattern)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, path := range paths {
		content, err := os.ReadFile(filepath.Join(folder, path))
		if errors.Is(err, fs.ErrNotExist) { // a running process has removed it since
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = string(content)
	}
	return all
}

// The program is killed at ten random moments and restarted each time. It ends with the same results, makes no run
// twice and leaves no incomplete file.
func TestKilledTenTimes(t *testing.T) {
	whole, cut := t.TempDir(), t.TempDir()
	began := time.Now()
	output(t, whole, run()...)
	took := time.Since(began)
	before := map[string]string{}
	for range 10 {
		c := command(cut, run("--checkpoint-every", "1ms")...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Float64() * 0.4 * float64(took)))
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = c.Wait() // killed
		now := files(t, cut, "*.json")
		for name, content := range before {
			if now[name] != content {
				t.Errorf("%s was made again, or is gone", name)
			}
		}
		for name, content := range now {
			if !json.Valid([]byte(content)) {
				t.Errorf("%s is half-written", name)
			}
		}
		before = now
	}
	output(t, cut, run()...)
	differ := []cmp.Option{cmpopts.IgnoreUnexported(experiments.Result{}),
		cmpopts.IgnoreFields(experiments.Training{}, "SecondsPerEpoch"),
		cmpopts.IgnoreFields(experiments.Facts{}, "PeakBytes"),
		cmpopts.IgnoreFields(experiments.Record{}, "Seconds", "Ended")}
	if diff := cmp.Diff(stored(t, whole).Results, stored(t, cut).Results, differ...); diff != "" {
		t.Errorf("results (-whole +cut):\n%s", diff)
	}
	if all, results := files(t, cut, "*"), files(t, cut, "*.json"); len(all) != len(results) {
		for name := range all {
			if _, ok := results[name]; !ok {
				t.Errorf("left behind: %s", name)
			}
		}
	}
}

// Ctrl-C and SIGTERM keep a checkpoint, say how to continue, and give the exit code of a shell.
func TestInterrupt(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		folder := t.TempDir()
		c := command(folder, run("--models", "constant", "--seeds", "5", "--checkpoint-every", "1ms")...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); len(files(t, folder,
			"*.b.safetensors")) == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("no checkpoint within a minute")
			}
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err := c.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want || !strings.Contains(stderr.String(),
			"goes on from here") {
			t.Errorf("%v: %v\n%s", signal, err, stderr.String())
		}
		c = command(folder, run("--models", "constant", "--seeds", "5")...)
		if said, err := c.CombinedOutput(); err != nil || !strings.Contains(string(said), "training goes on in epoch") {
			t.Errorf("%v\n%s", err, said)
		}
	}
}

// Two processes share the runs: all are made, none twice.
func TestTwoProcesses(t *testing.T) {
	folder := t.TempDir()
	var both [2]*exec.Cmd
	var said [2]bytes.Buffer
	for i := range both {
		both[i] = command(folder, run()...)
		both[i].Stderr = &said[i]
		if err := both[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range both {
		if err := c.Wait(); err != nil {
			t.Errorf("%v\n%s", err, said[i].String())
		}
	}
	for _, result := range stored(t, folder).Results {
		if result.Record == nil {
			t.Errorf("%v is not made", result.Run)
		}
	}
	if all := files(t, folder, "*"); len(all) != len(files(t, folder, "*.json")) {
		t.Errorf("%d files, want results alone", len(all))
	}
}

// A run that failed is counted by list, apart from those that nobody has made.
func TestListOfFailedRuns(t *testing.T) {
	folder := t.TempDir()
	output(t, folder, "run", "epidemics", "--models", "zero", "--fresh")
	stored := files(t, folder, "*.json")
	for name := range stored {
		if err := os.WriteFile(filepath.Join(folder, "epidemics", name), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		break
	}
	if text, want := output(t, folder, "list", "epidemics"), fmt.Sprintf("%d/%d, 1 failed", len(stored)-1,
		len(stored)); !strings.Contains(text, want) {
		t.Errorf("list does not say %q:\n%s", want, text)
	}
}

// Runs of another generation are counted by list and show, ignored by run, and made again by run --stale.
func TestStale(t *testing.T) {
	folder := t.TempDir()
	args := []string{"epidemics", "--models", "zero"}
	made := output(t, folder, append([]string{"run"}, args...)...)
	stored := files(t, folder, "*.json")
	for name := range stored { // only the name has the generation until the file is read
		path := filepath.Join(folder, "epidemics", name)
		if err := os.Rename(path, strings.Replace(path, fmt.Sprintf("-g%d-", experiments.Generation), "-g1-",
			1)); err != nil {
			t.Fatal(err)
		}
	}
	if text := output(t, folder, "list", "epidemics"); !strings.Contains(text, fmt.Sprintf("0/%d, %[1]d stale",
		len(stored))) {
		t.Errorf("list prints no stale runs:\n%s", text)
	}
	for _, command := range []string{"show", "run"} {
		if text := output(t, folder, append([]string{command}, args...)...); !strings.Contains(text, "stale, ") ||
			!strings.Contains(text, "--stale") {
			t.Errorf("%s prints no stale runs:\n%s", command, text)
		}
	}
	if now := files(t, folder, "*-g1-*"); len(now) != len(stored) {
		t.Errorf("%d stale files after run, want %d", len(now), len(stored))
	}
	if again := output(t, folder, append([]string{"run", "--stale"}, args...)...); again != made {
		t.Errorf("made again (-first +again):\n%s", cmp.Diff(made, again))
	}
	if now := files(t, folder, "*"); len(now) != len(stored) {
		t.Errorf("%d files after run --stale, want %d", len(now), len(stored))
	}
}

func TestCommands(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "epidemics", "--models", "zero", "--profile", "medium", "--seeds", "0,1"}, "zero (2)"},
		{[]string{"show", "epidemics", "--models", "zero", "--profile", "medium"}, "missing, 4 of 6"},
		{[]string{"show", "epidemics", "--models", "zero", "--profile", "medium"}, "Results: " + folder},
		{[]string{"run", "epidemics", "--models", "zero", "--only", "split=rolling-origin", "--profile", "medium"},
			"test errors by country"},
		{[]string{"show", "epidemics", "--profile", "medium", "--format", "markdown"}, "| zero (6)"},
		{[]string{"run", "table1", "--dry-run"}, "8 of 8 runs to make; how long they take is not"},
		{[]string{"run", "table1", "--dry-run"}, "0 of 2         0        –  unknown for 2 runs"},
		{[]string{"run", "epidemics", "--models", "zero", "--seeds", "9", "--dry-run"}, "3 of 3 runs to make, none of"},
		{[]string{"run", "epidemics", "--models", "zero", "--seeds", "9", "--profile", "medium", "--only",
			"split=random", // 68 runs of the other split are stored
			"--only", "split=rolling-origin", "--dry-run"}, "3 of 71 runs to make, none of"},
		{[]string{"list"}, "epidemics "},
		{[]string{"list", "epidemics"}, "peng-tuned  "},
		{[]string{"list", "epidemics"}, "pengcde run epidemics --dry-run"},
		{[]string{"version"}, "backend"},
		{[]string{"doctor"}, "[ok]"},
		{[]string{"--help"}, "doctor"},
		{[]string{"help"}, "doctor"},
		{[]string{"help", "results", "ship"}, "Usage: pengcde results ship"},
		{nil, "doctor"},
		{[]string{"results"}, "Usage: pengcde results <command>"},
		{[]string{"list"}, "Shipped runs are only in a checkout"},
		{[]string{"list", "table1"}, "Shipped runs are only in a checkout"},
		{[]string{"run", "--help"}, "--dry-run"},
	} {
		text := output(t, folder, c.args...)
		if !strings.Contains(text, c.want) {
			t.Errorf("pengcde %s prints no %q:\n%s", strings.Join(c.args, " "), c.want, text)
		}
		fits(t, text, folder, c.args...)
	}
}

// The version is the same by flag and by command, and the flag needs no other argument.
func TestVersion(t *testing.T) {
	folder := t.TempDir()
	first, _, _ := strings.Cut(output(t, folder, "version"), "\n")
	for _, args := range [][]string{{"--version"}, {"run", "--version"}} {
		if got := output(t, folder, args...); got != first+"\n" || !strings.HasPrefix(got, "pengcde-go  ") {
			t.Errorf("%q prints %q, version begins with %q", args, got, first)
		}
	}
}

// list says what the loaders of the data sets give.
func TestListedDataSets(t *testing.T) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "data set\tnodes\tsnapshots\tedges\tfeatures")
	england, err := pgt.EnglandCovid()
	italy, err2 := pgt.ItalyCovid()
	france, err3 := pgt.FranceCovid()
	tennis, err4 := pgt.TwitterTennis(pgt.RG17)
	open, err5 := pgt.TwitterTennis(pgt.UO17)
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*dyngraph.Series{england, italy, france, tennis, open} {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", s.Name, s.Nodes(), len(s.Times), s.Pattern.Edges(), s.FeatureSize)
	}
	if err := w.Flush(); err != nil || text.String() != dataSets {
		t.Errorf("%v: listed as\n%s, want\n%s", err, dataSets, &text)
	}
}

// In a checkout, list counts the runs that came with it, and says nothing of checkouts.
func TestListInCheckout(t *testing.T) {
	root, own := checkoutFolder(t), t.TempDir()
	args := []string{"epidemics", "--models", "zero", "--only", "country=england"}
	in(t, root, own, append([]string{"run"}, args...)...)
	in(t, root, own, "results", "ship", "epidemics")
	_, here, _ := in(t, root, own, "list")
	_, shipped, _ := in(t, root, t.TempDir(), "list")
	if here != shipped || !strings.Contains(here, "epidemics           1/30") || strings.Contains(here, "checkout") {
		t.Errorf("with own runs:\n%s\nwith shipped ones:\n%s", here, shipped)
	}
}

// fits checks that lines fit into a terminal, except Markdown and lines with a path.
func fits(t *testing.T, text, folder string, args ...string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if plain.Columns(line) > usualWidth && !strings.Contains(line, folder) && !strings.HasPrefix(line, "|") &&
			!slices.Contains(args, "markdown") {
			t.Errorf("pengcde %s: a line takes %d columns: %s", strings.Join(args, " "), plain.Columns(line), line)
		}
	}
}

// If nothing is stored, show says what to run, and the exit code is 1.
func TestNothingStored(t *testing.T) {
	root, own := checkoutFolder(t), t.TempDir()
	for _, format := range []string{"text", "markdown", "json"} {
		code, stdout, stderr := in(t, root, own, "show", "twitter-tennis", "--format", format)
		if code != 1 || stdout != "" || !strings.Contains(stderr, own) ||
			!strings.Contains(stderr, `run "pengcde run twitter-tennis --profile quick"`) {
			t.Errorf("%s: code %d, %q, %q", format, code, stdout, stderr)
		}
	}
	if code, _, stderr := in(t, root, own, "run", "twitter-tennis", "--models", "zero", "--profile", "medium",
		"--only", "split=rolling-origin"); code != 0 {
		t.Fatal(stderr)
	}
	if _, out, _ := in(t, root, own, "run", "twitter-tennis", "--models", "zero"); strings.Contains(out, "More:") {
		t.Errorf("run speaks of other profiles:\n%s", out)
	}
	if _, out, _ := in(t, root, own, "show", "twitter-tennis"); !strings.Contains(out,
		"\nMore: --profile medium (46 of 615 runs stored)\n") {
		t.Errorf("show does not say that more is stored:\n%s", out)
	}
	own = t.TempDir()
	if code, _, stderr := in(t, root, own, "run", "twitter-tennis", "--models", "zero", "--profile", "medium",
		"--only", "split=rolling-origin"); code != 0 {
		t.Fatal(stderr)
	}
	if _, _, stderr := in(t, root, own, "show", "twitter-tennis"); !strings.Contains(stderr,
		"see --profile medium (45 of 615 runs stored)") {
		t.Errorf("says %q", stderr)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "table9"}, "epidemics"},
		{[]string{"show", "epidemics", "--models", "pong"}, "pong"},
		{[]string{"show", "epidemics", "--profile", "medium", "--only", "split=rotation"}, "purged-rotation"},
		{[]string{"show", "epidemics", "--profile", "huge"}, "quick"},
		{[]string{"show", "epidemics", "--seeds", "4-0"}, "0-4"},
		{[]string{"show", "epidemics", "--seeds", ""}, `seeds ""`},
		{[]string{"show", "epidemics", "--seeds", "0-99999999999"}, "0-4"},
		{[]string{"show", "epidemics", "--format", "xml"}, "json"},
		{[]string{"show", "epidemics", "--only", "splat=random"}, "did you mean split?"},
		{[]string{"show", "epidemics", "--only", "split"}, `"split", want a key with its values`},
		{[]string{"show", "epidemics", "--models", "affine-linear", "--only", "split=random", "--profile", "medium"},
			"leave some out"},
		{[]string{"show", "epidemics", "--models", "rigde,peng"}, `"rigde" in profile quick, want one of peng, `},
		{[]string{"run", "tabel1"}, "did you mean table1?"},
		{[]string{"run"}, "no study, want one of epidemics, "},
		{[]string{"dance"}, `no command "dance", want one of list, run, show, `},
		{[]string{"results", "shp"}, "did you mean ship?"},
		{[]string{"show", "table1", "--data", "spain.json"}, `table1 takes no files of data, got ["spain.json"]`},
		{[]string{"run", "epidemics", "--data", "spain.json", "--dry-run"}, "data spain.json: "},
		{[]string{"list", "--data", "spain.json"}, "--data without a study"},
		{[]string{"help", "lst"}, "did you mean list?"},
		{[]string{"show", "epidemics", "--profle", "medium"}, `did you mean "--profile"?`},
		{[]string{"cite", "recomended"}, "did you mean recommended?"},
		{[]string{"completion"}, "bash"},
	} {
		stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(experiments.ResultsEnv, t.TempDir())
		if code := execute(context.Background(), c.args, stderr, stderr); code != exitUsage {
			t.Errorf("pengcde %s: exit code %d, want %d", strings.Join(c.args, " "), code, exitUsage)
		}
		said, err := os.ReadFile(stderr.Name())
		if strings.Contains(string(said), "invalid input") || strings.Contains(string(said), "experiments:") {
			t.Errorf("pengcde %s says %q, words of the code", strings.Join(c.args, " "), said)
		}
		if err != nil || !strings.Contains(string(said), c.want) {
			t.Errorf("pengcde %s says %q (%v), want it to name %q", strings.Join(c.args, " "), said, err, c.want)
		}
	}
}
