package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ctrl-C, which a terminal sends to all processes, and a signal to the first alone let workers keep checkpoints, from
// which the same command goes on.
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
			t.Errorf("%s: %d runs are claimed after the end", what, len(left))
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
	}
}

// Workers whose first process is killed end too, and keep checkpoints.
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
