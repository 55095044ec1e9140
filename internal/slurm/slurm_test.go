package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// commands puts programs of shell lines in front of $PATH; each notes its arguments, a line each, in the file calls.
func commands(t *testing.T, lines map[string]string) (calls string) {
	t.Helper()
	folder := t.TempDir()
	calls = filepath.Join(folder, "calls")
	for name, line := range lines {
		script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"${0##*/}\" \"$@\" >>%s\n%s\n", calls, line)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	return calls
}

func called(t *testing.T, calls string) []string {
	t.Helper()
	text, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

var plainJob = Job{Name: "pengcde-toy", Command: []string{"/opt/peng cde/bin", "run", "it's"}, Folder: "/data/a b",
	Log: "/data/100%/log", Tasks: 3}

func TestScript(t *testing.T) {
	whole := plainJob
	whole.Partition, whole.GPUs, whole.Time, whole.Memory, whole.CPUs = "gpu", "a100:1", "2-0", "8G", 4
	whole.Options = []string{"--account=physics", "--comment=two words", `--constraint="a b"`, "-q low",
		"-HAphysics", "-sAn"}
	for name, c := range map[string]struct {
		job  Job
		want []string
	}{
		"least": {plainJob, []string{"--job-name=pengcde-toy", "--array=0-2", "--nodes=1", "--ntasks=1", "--requeue",
			"--signal=B:USR1@120", "--open-mode=append", "--output='/data/100%%/log-%a.log'", "--chdir='/data/a b'"}},
		"all": {whole, []string{"--job-name=pengcde-toy", "--partition=gpu", "--array=0-2", "--nodes=1", "--ntasks=1",
			"--cpus-per-task=4", "--gpus=a100:1", "--mem=8G", "--time=2-0", "--requeue", "--signal=B:USR1@120",
			"--open-mode=append", "--output='/data/100%%/log-%a.log'", "--chdir='/data/a b'", "--account=physics",
			"--comment='two words'", `--constraint="a b"`, "-q low", "-HAphysics", "-sAn"}},
	} {
		script, err := c.job.Script()
		if err != nil {
			t.Fatal(err)
		}
		want := "#!/bin/sh\n#SBATCH " + strings.Join(c.want, "\n#SBATCH ") + "\nexec '/opt/peng cde/bin' run 'it'\\''s'\n"
		if diff := cmp.Diff(want, script); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestScriptMistakes(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Tasks = 0 }, "array of 0 tasks, want 1 or more"},
		{func(j *Job) { j.Tasks = -3 }, "array of -3 tasks"},
		{func(j *Job) { j.GPUs = "-1" }, `"-1" GPUs for a task, want a number such as 1`},
		{func(j *Job) { j.GPUs = "a100" }, `"a100" GPUs`},
		{func(j *Job) { j.GPUs = "0" }, `"0" GPUs`},
		{func(j *Job) { j.CPUs = -1 }, "-1 CPUs"},
		{func(j *Job) { j.Time = "soon" }, `time limit "soon", want minutes, `},
		{func(j *Job) { j.Time = "2" }, "a time limit of 2m0s, want 10m0s or more"},
		{func(j *Job) { j.Time = "0:09:59" }, "a time limit of 9m59s"},
		{func(j *Job) { j.Options = []string{"account=physics"} }, `"account=physics", want an option of sbatch`},
		{func(j *Job) { j.Options = []string{"--account=a\nrm=-r"} }, "more than one line"},
		{func(j *Job) { j.Options = []string{"--comment two words"} }, "with = before a value with blanks"},
		{func(j *Job) { j.Options = []string{"--array=0-3"} }, "sets itself: leave it out and use --array-size"},
		{func(j *Job) { j.Options = []string{"-a0-3"} }, "use --array-size"},
		{func(j *Job) { j.Options = []string{"-Ha0-3"} }, `"-Ha0-3" of sbatch, with -a, which the script of the job sets`},
		{func(j *Job) { j.Options = []string{"-HOQVWhsvJ mine"} }, "with -J, which the script of the job sets itself"},
		{func(j *Job) { j.Options = []string{"-H -a0-3"} }, "want one option of sbatch"},
		{func(j *Job) { j.Options = []string{"--exclusive --array=0-3"} }, "want one option of sbatch"},
		{func(j *Job) { j.Options = []string{"-"} }, `"-", want an option of sbatch`},
		{func(j *Job) { j.Options = []string{"--arr=0-3"} }, `"--arr=0-3" of sbatch, short for --array, which the script`},
		{func(j *Job) { j.Options = []string{"--arra 0-3"} }, "leave it out and use --array-size"},
		{func(j *Job) { j.Options = []string{"--no-r"} }, "short for --no-requeue"},
		{func(j *Job) { j.Options = []string{"-t 5"} }, "use --time"},
		{func(j *Job) { j.Options = []string{"--signal=USR2@60"} }, "sets itself: leave it out"},
		{func(j *Job) { j.Options = []string{"--no-requeue"} }, "sets itself: leave it out"},
		{func(j *Job) { j.Options = []string{"-J mine"} }, "sets itself: leave it out"},
		{func(j *Job) { j.Options = []string{"--nodes 2"} }, "sets itself: leave it out"},
		{func(j *Job) { j.Folder = "a\nb" }, "more than one line"},
	} {
		job := plainJob
		c.change(&job)
		if _, err := job.Script(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q in it", err, c.want)
		}
	}
}

// The formats are from sbatch's manual.
func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Minute, "90:30": 90*time.Minute + 30*time.Second,
		"4:05:06": 4*time.Hour + 5*time.Minute + 6*time.Second,
		"2-0":     48 * time.Hour, "1-2": 26 * time.Hour, "1-2:03": 26*time.Hour + 3*time.Minute,
		"1-02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second,
	} {
		if got, err := parseTime(text); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"-1", "4h", "1:2:3:4", "2-", "1.5", "99999999999999999999"} {
		if got, err := parseTime(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestSubmit(t *testing.T) {
	calls := commands(t, map[string]string{"sbatch": "echo '812;big'"})
	if job, err := Submit(t.Context(), "/data/a b/job.sh"); job != "812" || err != nil {
		t.Errorf("job %q, %v", job, err)
	}
	if got := called(t, calls); !slices.Equal(got, []string{"sbatch", "--parsable", "/data/a b/job.sh"}) {
		t.Errorf("called %q", got)
	}
	commands(t, map[string]string{"sbatch": "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1"})
	_, err := Submit(t.Context(), "job.sh")
	var failed *Error
	if !errors.As(err, &failed) || failed.Command != "sbatch" || err.Error() !=
		"slurm: sbatch: error: invalid partition specified: x" {
		t.Errorf("error %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Submit(t.Context(), "job.sh"); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(),
		"no sbatch in $PATH") {
		t.Errorf("error %v", err)
	}
}

func TestQueue(t *testing.T) {
	calls := commands(t, map[string]string{"squeue": `printf '812\t0\tRUNNING\tnode1\t3:59:00\tNone\ttoy\n'
printf '812\t1\tPENDING\t\tUNLIMITED\tResources\ttoy\n'
printf '7\tN/A\tRUNNING\tnode2\t1:00\tNone\ta\tb\n'`})
	tasks, err := Queue(t.Context(), []string{"toy", "toy2"}, true)
	want := []Task{{"812", "0", "toy", "RUNNING", "node1", "3:59:00", "None"},
		{"812", "1", "toy", "PENDING", "", "UNLIMITED", "Resources"}}
	if diff := cmp.Diff(want, tasks); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := called(t, calls); !slices.Contains(got, "--name=toy,toy2") || !slices.Contains(got, "--me") ||
		!slices.Contains(got, "--states=all") {
		t.Errorf("called %q", got)
	}
	if id := tasks[1].ID(); id != "812_1" {
		t.Errorf("task %s", id)
	}
	if tasks, err := Queue(t.Context(), nil, true); tasks != nil || err != nil { // else all jobs would be listed
		t.Errorf("of no job: %v, %v", tasks, err)
	}
	commands(t, map[string]string{"squeue": "echo 812 RUNNING"})
	if _, err := Queue(t.Context(), []string{"toy"}, false); err == nil || !strings.Contains(err.Error(),
		`"812 RUNNING"`) {
		t.Errorf("error %v", err)
	}
}

func TestPhase(t *testing.T) {
	for state, want := range map[string]Phase{"PENDING": Queued, "REQUEUED": Queued, "RUNNING": Running,
		"COMPLETING": Running, "COMPLETED": Completed, "CANCELLED": Cancelled, "TIMEOUT": Failed, "NODE_FAIL": Failed,
		"OUT_OF_MEMORY": Failed, "SOMETHING_NEW": Running} {
		task := Task{State: state}
		if got := task.Phase(); got != want || task.Ended() != (want > Running) {
			t.Errorf("%s: phase %d, ended %t", state, got, task.Ended())
		}
	}
}

func TestCancel(t *testing.T) {
	calls := commands(t, map[string]string{"scancel": ""})
	if err := Cancel(t.Context(), nil); err != nil { // scancel without a job is an error
		t.Error(err)
	}
	if err := Cancel(t.Context(), []string{"812", "815"}); err != nil {
		t.Error(err)
	}
	if got := called(t, calls); !slices.Equal(got, []string{"scancel", "812", "815"}) {
		t.Errorf("called %q", got)
	}
}

// A task of an array is named by its index, as one of them has the number of the array for its own, by which Slurm
// would take all.
func TestRequeue(t *testing.T) {
	calls := commands(t, map[string]string{"scontrol": ""})
	t.Setenv("SLURM_JOB_ID", "")
	t.Setenv("SLURM_ARRAY_JOB_ID", "")
	if err := Requeue(t.Context()); err == nil {
		t.Error("requeued outside of a task")
	}
	t.Setenv("SLURM_JOB_ID", "812")
	if err := Requeue(t.Context()); err != nil {
		t.Error(err)
	}
	t.Setenv("SLURM_ARRAY_JOB_ID", "812")
	t.Setenv("SLURM_ARRAY_TASK_ID", "3")
	if err := Requeue(t.Context()); err != nil {
		t.Error(err)
	}
	want := []string{"scontrol", "requeue", "812", "scontrol", "requeue", "812_3"}
	if got := called(t, calls); !slices.Equal(got, want) {
		t.Errorf("called %q", got)
	}
	commands(t, map[string]string{"scontrol": "echo 'Job is held' >&2; exit 1"})
	if err := Requeue(t.Context()); err == nil || !strings.Contains(err.Error(), "Job is held; unless") {
		t.Errorf("error %v", err)
	}
}

// A task that gets nowhere until its time limit is put back into the queue twice.
func TestRequeueOfATaskThatGetsNowhere(t *testing.T) {
	calls := commands(t, map[string]string{"scontrol": ""})
	t.Setenv("SLURM_JOB_ID", "812")
	ctx := Context(t.Context())
	for _, restarts := range []string{"", "1"} {
		t.Setenv("SLURM_RESTART_COUNT", restarts)
		if err := Requeue(ctx); err != nil {
			t.Errorf("after %q restarts: %v", restarts, err)
		}
	}
	t.Setenv("SLURM_RESTART_COUNT", "2")
	before := called(t, calls)
	if err := Requeue(ctx); !errors.Is(err, ErrTooShort) || !slices.Equal(called(t, calls), before) {
		t.Errorf("after 2 restarts: %v, called %q", err, called(t, calls))
	}
	Advance(ctx)
	if err := Requeue(ctx); err != nil {
		t.Errorf("after an advance: %v", err)
	}
}

func TestContext(t *testing.T) {
	if len(warnings) == 0 {
		t.Skip("this system has no such signals")
	}
	t.Setenv("SLURM_JOB_ID", "")
	if ctx := Context(t.Context()); ctx != t.Context() {
		t.Error("another context outside of a job")
	}
	t.Setenv("SLURM_JOB_ID", "812")
	whole, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx := Context(whole)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(warnings[0]); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), ErrTimeLimit) || whole.Err() != nil {
		t.Errorf("ended by %v, the whole by %v", context.Cause(ctx), whole.Err())
	}
}
