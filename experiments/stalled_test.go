//go:build unix

package experiments

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A process that was stopped, and whose run another process took over meanwhile, does not store the run when it
// continues.
func TestStalledHolder(t *testing.T) {
	const env = "PENGCDE_TEST_STALLED"
	if folder := os.Getenv(env); folder != "" { // the process that is stopped, before it stores its first run
		study, o := toy(), options(t)
		o.leases, o.Notice = leases(), func(text string) { os.Stdout.WriteString(text + "\n") }
		whole, ready := study.Execute, filepath.Join(folder, "ready")
		study.Execute = func(ctx context.Context, m *RunContext, r Run) (*Facts, error) {
			facts, err := whole(ctx, m, r)
			if _, found := os.Stat(ready); found != nil && err == nil {
				err = os.WriteFile(ready, nil, 0o600)
				for os.Remove(filepath.Join(folder, "go")) != nil {
					time.Sleep(time.Millisecond)
				}
			}
			return facts, err
		}
		run(t, study, o)
		return
	}
	folder, signs := results(t), t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestStalledHolder$")
	child.Env = append(os.Environ(), env+"="+signs)
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(signs, "ready")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no run within a minute")
		}
	}
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := child.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	o := options(t)
	o.leases = leases()
	run(t, toy(), o)
	contents := func() map[string]string {
		all := make(map[string]string)
		for _, file := range files(t, folder, "*") {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all[file] = string(content)
		}
		return all
	}
	before := contents()
	if err := os.WriteFile(filepath.Join(signs, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	signal(syscall.SIGCONT)
	if err := child.Wait(); err != nil || !strings.Contains(said.String(), "Two, early, seed 0: another process took") {
		t.Errorf("%v, it said %q, want that the run was taken over", err, said.String())
	}
	if len(before) != toyRuns {
		t.Errorf("%d files, want the %d results alone", len(before), toyRuns)
	}
	if diff := cmp.Diff(before, contents()); diff != "" {
		t.Errorf("files (-before +after it went on):\n%s", diff)
	}
}
