package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/internal/slurm"
	"github.com/peng-cde/pengcde-go/xla"
)

// few selects runs that take no time.
var few = []string{"epidemics", "--models", "zero,recent-mean", "--only", "country=england", "--only", "split=random",
	"--seeds", "0-1"}

// cluster puts commands with Slurm's names at the front of $PATH: each is a line of shell.
func cluster(t *testing.T, lines map[string]string) {
	t.Helper()
	folder := t.TempDir()
	for name, line := range lines {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+line+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func submit(more ...string) []string { return append(append([]string{"submit"}, few...), more...) }

// A submitted script runs as Slurm would run it, and makes the selected runs.
func TestSubmit(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's of [1] results")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	cluster(t, map[string]string{"sbatch": `sh "$2" >&2 && echo 812`, "squeue": ""})
	code, stdout, stderr := in(t, folder, folder, submit("--array-size", "2", "--partition", "gpu", "--time", "4:00:00",
		"--memory", "8G", "--cpus", "3", "--jobs", "2", "--sbatch=--account=physics")...)
	if code != 0 || !strings.Contains(stdout, "job 812 submitted, array size 2") || !strings.Contains(stderr,
		"epidemics, profile quick: 4 of 4 runs to make") {
		t.Fatalf("code %d\n%s\n%s", code, stdout, stderr)
	}
	if text := output(t, folder, append([]string{"show"}, few...)...); !strings.Contains(text, "4 of 4 runs stored") {
		t.Errorf("the script did not make the runs:\n%s", text)
	}
	all := files(t, folder, "slurm/*")
	for name, content := range all {
		switch filepath.Ext(name) {
		case slurm.ScriptExtension:
			for _, want := range []string{"--array=0-1", "--partition=gpu", "--time=4:00:00", "--mem=8G", "--cpus-per-task=3",
				"--account=physics", "--job-name=" + strings.TrimSuffix(name, slurm.ScriptExtension)} {
				if !strings.Contains(content, "\n#SBATCH "+want+"\n") {
					t.Errorf("no %s in:\n%s", want, content)
				}
			}
		case slurm.RecordExtension:
			if !strings.Contains(content, `"Job": "812"`) {
				t.Errorf("no number in:\n%s", content)
			}
		}
	}
	if len(all) != 2 {
		t.Errorf("%d files, want script and record", len(all))
	}
	if _, out, said := in(t, folder, folder, submit()...); out != "" || !strings.Contains(said, "nothing to make") {
		t.Errorf("with all runs stored: %s\n%s", out, said)
	}
	if text := output(t, folder, "status", "epidemics"); !strings.Contains(text, "4 of 4 runs stored") {
		t.Errorf("status chooses other runs than were submitted:\n%s", text)
	}
}

// Tasks make runs again that failed before the job was submitted, and repeat no failure of each other.
func TestSubmittedRetries(t *testing.T) {
	folder := t.TempDir()
	results := filepath.Join(folder, "epidemics")
	output(t, folder, append([]string{"run"}, few...)...)
	for name := range files(t, folder, "*.json") {
		if err := os.WriteFile(filepath.Join(results, name), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ first, want string }{
		{"touch " + results + "/*.json; sleep 0.1;", "0 of 4 runs stored"}, // as if another task had stored the errors
		{"", "4 of 4 runs stored"},
	} {
		cluster(t, map[string]string{"sbatch": c.first + ` sh "$2" >&2; echo 812`})
		code, stdout, stderr := in(t, folder, folder, submit("--retry")...)
		if code != 0 || !strings.Contains(stdout, "job 812 submitted") || !strings.Contains(stderr, "4 of 4 runs to make") {
			t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
		}
		if text := output(t, folder, append([]string{"show"}, few...)...); !strings.Contains(text, c.want) {
			t.Errorf("after %q want %s in\n%s", c.first, c.want, text)
		}
	}
}

func TestSubmitDry(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", t.TempDir()) // without Slurm
	code, stdout, stderr := in(t, folder, folder, submit("--gpus", "1", "--dry-run")...)
	if code != 0 || !strings.HasPrefix(stdout, "#!/bin/sh\n") || !strings.Contains(stdout, "\n#SBATCH --gpus=1\n") ||
		!strings.Contains(stdout, " --backend xla:cuda") || !strings.Contains(stderr, "4 of 4 runs to make") {
		t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v, want nothing written", entries, err)
	}
}

// $PENGCDE_BACKEND, by which runs are counted, is the backend of tasks and pods too, also when status resubmits them.
func TestSubmittedBackend(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(xla.BackendEnv, "go")
	cluster(t, map[string]string{"sbatch": "echo 812", "squeue": ""})
	for _, args := range [][]string{submit("--dry-run"), submit("--gpus", "1", "--dry-run"), onKubernetes()} {
		text := strings.NewReplacer(`"`, "", ",", "", "\n", " ").Replace(output(t, folder, args...))
		if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, "--backend go ") {
			t.Errorf("%q: no backend in\n%s", args, text)
		}
	}
	output(t, folder, submit()...)
	for name, content := range files(t, folder, "slurm/*.json") {
		if !strings.Contains(content, `"Backend": "go"`) {
			t.Errorf("no backend in %s:\n%s", name, content)
		}
	}
	t.Setenv(xla.BackendEnv, "")
	if text := output(t, folder, "status", "epidemics"); !strings.Contains(text, " --seeds '0,1' --backend go, with") {
		t.Errorf("status does not name the backend:\n%s", text)
	}
}

// There are as many tasks as units of training: on a GPU, and on request, one program trains all seeds of a model.
func TestSubmittedTasks(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ flag, want string }{{"--jobs=1", "0-2"}, {"--gpus=1", "0-0"}, {"--seeds-together", "0-0"}} {
		script := output(t, folder, "submit", "epidemics", "--models", "constant", "--only", "country=england", "--only",
			"split=random", "--seeds", "0-2", "--dry-run", c.flag)
		if !strings.Contains(script, "\n#SBATCH --array="+c.want+"\n") {
			t.Errorf("%s: want tasks %s in\n%s", c.flag, c.want, script)
		}
		if asked := strings.Contains(script, " --seeds-together "); asked != (c.flag == "--seeds-together") {
			t.Errorf("%s: seeds together %t in\n%s", c.flag, asked, script)
		}
	}
}

// The memory of a training is known without a stored run of its model.
func TestSubmitPlans(t *testing.T) {
	folder := t.TempDir()
	_, _, stderr := in(t, folder, folder, "submit", "table-wealth", "--models", "peng,constant", "--only", "family=grid",
		"--dry-run")
	said := strings.Join(strings.Fields(stderr), " ")
	if !strings.Contains(said, "By plan training takes at most") || !strings.Contains(said, "MiB on the device") ||
		!strings.Contains(said, "(peng)") {
		t.Errorf("says %q", said)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v, want nothing written", entries, err)
	}
}

func TestSubmitMistakes(t *testing.T) {
	cluster(t, map[string]string{"sbatch": "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1"})
	folder := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{submit("--partition", "x"), 1, "pengcde: sbatch: error: invalid partition specified: x"},
		{submit("--array-size", "0"), exitUsage, "an array of 0 tasks, want 1 or more"},
		{submit("--array-size=-2"), exitUsage, "an array of -2 tasks"},
		{submit("--gpus=-1"), exitUsage, `"-1" GPUs for a task`},
		{submit("--time", "1"), exitUsage, "a time limit of 1m0s, want 10m0s or more"},
		{submit("--models", "pong"), exitUsage, "pong"},
		{submit("--sbatch=--array=0-3"), exitUsage, "leave it out and use --array-size"},
		{[]string{"submit", "tabel1"}, exitUsage, "did you mean table1?"},
		{[]string{"status", "tabel1"}, exitUsage, "did you mean table1?"},
		{[]string{"cancel", "tabel1"}, exitUsage, "did you mean table1?"},
	} {
		if code, _, stderr := in(t, folder, folder, c.args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: code %d, %q, want %d, %q", c.args, code, stderr, c.code, c.want)
		}
	}
	if all := files(t, folder, "slurm/*"); len(all) > 0 {
		t.Errorf("left of jobs that were refused: %v", all)
	}
}

func TestNoSlurm(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", t.TempDir())
	code, _, stderr := in(t, folder, folder, submit()...)
	if code != 1 || !strings.Contains(stderr, "no sbatch in $PATH") {
		t.Errorf("submit: code %d, %q", code, stderr)
	}
	if all := files(t, folder, "slurm/*"); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
	text := output(t, folder, append([]string{"status"}, few...)...) // needs no Slurm where no job was submitted
	if text != "epidemics, profile quick: 0 of 4 runs stored, 4 to make\n" {
		t.Errorf("status: %s", text)
	}
}

// Status lists tasks with their runs, counts the waiting ones, and names failures; cancel cancels the jobs that have
// not ended.
func TestStatus(t *testing.T) {
	folder := t.TempDir()
	cluster(t, map[string]string{"sbatch": "echo 812", "scancel": `echo "$@" >` + folder + "/cancelled"})
	output(t, folder, submit()...)
	name := ""
	for file := range files(t, folder, "slurm/*.sh") {
		name = strings.TrimSuffix(file, slurm.ScriptExtension)
	}
	squeue := func(rows ...string) string {
		text := ""
		for _, row := range rows {
			text += fmt.Sprintf("printf '%s\\t%s\\n'\n", strings.ReplaceAll(row, " ", `\t`), name)
		}
		return text
	}
	cluster(t, map[string]string{"squeue": squeue("812 0 RUNNING node2 3:59:00 None", "812 1 RUNNING node1 3:58:00 None",
		"812 2 PENDING  UNLIMITED Resources", "812 3 PENDING  UNLIMITED Resources", "700 0 FAILED node1 0:00 NonZeroExitCode",
		"700 1 COMPLETED node1 0:00 None")})
	want := fmt.Sprintf(`epidemics, profile quick: 0 of 4 runs stored, 4 to make
node1: task 812_1 running, time limit in 3:58:00
node2: task 812_0 running, time limit in 3:59:00
task failed: 700_0 on node1, failed, NonZeroExitCode
tasks queued: 2, Resources
tasks done: 1
scripts and logs: %s
`, filepath.Join(folder, "epidemics", "slurm"))
	if diff := cmp.Diff(want, output(t, folder, "status", "epidemics")); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if text := output(t, folder, "cancel", "epidemics"); !strings.HasPrefix(text, "cancelled: 812;") {
		t.Errorf("cancel: %s", text)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "cancelled")); err != nil || string(got) != "812\n" {
		t.Errorf("scancel is given %q, %v", got, err)
	}
	cluster(t, map[string]string{"squeue": squeue("812 0 TIMEOUT node2 0:00 TimeLimit")})
	if text := output(t, folder, "status", "epidemics"); !strings.Contains(text, "for the rest: pengcde submit epidemics "+
		"--profile quick --models 'zero,recent-mean'") {
		t.Errorf("status does not say what to do:\n%s", text)
	}
	if text := output(t, folder, "cancel", "epidemics"); text != "no job of epidemics waits or runs\n" {
		t.Errorf("cancel: %s", text)
	}
	cluster(t, map[string]string{"squeue": "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1"})
	code, stdout, stderr := in(t, folder, folder, "status", "epidemics")
	if code != 1 || !strings.Contains(stdout, "0 of 4 runs") || !strings.Contains(stderr, "Unable to contact") {
		t.Errorf("code %d\n%s\n%s", code, stdout, stderr)
	}
}
