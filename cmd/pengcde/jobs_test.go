package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/store"
)

// After Ctrl-C, which a terminal sends to all processes, and after a signal only to the parent, workers keep
// checkpoints, and the same command continues from them.
func TestInterruptOfJobs(t *testing.T) {
	for what, whom := range map[string]func(first int) int{
		"the first alone": func(first int) int { return first },
		"all":             func(first int) int { return -first },
	} {
		folder, args := t.TempDir(), run("--models", "constant", "--seeds", "5-6", "--jobs", "2")
		c := command(folder, append(args, "--checkpoint-every", "1ms")...)
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); len(files(t, folder,
			"*.b.safetensors")) < 2; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no two checkpoints within a minute:\n%s", stderr.String())
			}
		}
		if err := syscall.Kill(whom(c.Process.Pid), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		err := c.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || strings.Count(stderr.String(),
			"goes on from here") != 1 {
			t.Errorf("%s: %v\n%s", what, err, stderr.String())
		}
		if left := files(t, folder, "*.lock"); len(left) != 0 {
			t.Errorf("%s: %d runs are held after the end", what, len(left))
		}
		if err := syscall.Kill(-c.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: processes are left: %v", what, err)
		}
		if what != "all" {
			continue
		}
		if said, err := command(folder, args...).CombinedOutput(); err != nil ||
			strings.Count(string(said), "training goes on in epoch") != 2 || !strings.Contains(string(said),
			"2 processes make runs") {
			t.Errorf("%v\n%s", err, said)
		}
		said := strings.Join(strings.Fields(output(t, folder, run("--seeds", "5-9", "--jobs", "2", "--dry-run")...)), " ")
		if !strings.Contains(said, "in one process by") || !strings.Contains(said, "share that time: ") {
			t.Errorf("the rest takes: %s", said)
		}
	}
}

// In a Slurm job a single process also uses the job's CPUs, and if memory runs out, the run is made again.
func TestOneProcessInAJob(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SLURM_JOB_ID", "812")
	t.Setenv("SLURM_CPUS_PER_TASK", "1")
	c := command(folder, run("--models", "constant", "--seeds", "5", "--jobs", "1", "--checkpoint-every", "1ms")...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for deadline := time.Now().Add(time.Minute); killed == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no checkpoint of another process within a minute\n%s", stderr.String())
		}
		if len(files(t, folder, "*.b.safetensors")) == 0 {
			continue
		}
		for _, content := range files(t, folder, "*.lock") {
			var lease store.Lease
			if json.Unmarshal([]byte(content), &lease) == nil && lease.Process != c.Process.Pid &&
				syscall.Kill(lease.Process, syscall.SIGKILL) == nil {
				killed = lease.Process
			}
		}
	}
	if err := c.Wait(); err != nil || !strings.Contains(stderr.String(), "made again when the others are") {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var report experiments.Report
	text := output(t, folder, "show", "epidemics", "--seeds", "5", "--models", "constant", "--only", "country=england",
		"--format", "json")
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	for _, result := range report.Results.Made() {
		if cpus := result.Record.Machine.CPUs; cpus != 1 {
			t.Errorf("%v was made with %d CPUs, want the task's 1", result.Run, cpus)
		}
	}
	if made, _ := report.Count(); made != 1 {
		t.Errorf("%d runs made, want 1", made)
	}
}

// Workers whose parent process is killed end too, and keep checkpoints.
func TestKilledWithJobs(t *testing.T) {
	folder, args := t.TempDir(), run("--models", "constant", "--seeds", "5-6", "--jobs", "2")
	c := command(folder, append(args, "--checkpoint-every", "1ms")...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	until := func(what string, is func() bool) {
		t.Helper()
		for ; !is(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("not within a minute: %s", what)
			}
		}
	}
	until("two checkpoints", func() bool { return len(files(t, folder, "*.b.safetensors")) >= 2 })
	if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	until("the workers let go of their runs", func() bool { return len(files(t, folder, "*.lock")) == 0 })
}
