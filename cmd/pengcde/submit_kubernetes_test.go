package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/store"
)

// manifestOf has the parts of a manifest that a cluster would act on in this test.
type manifestOf struct {
	Metadata struct{ Name string }
	Spec     struct {
		Completions int
		Template    struct {
			Spec struct {
				Containers []struct {
					Command []string
					Env     []struct {
						Name, Value string
						ValueFrom   *struct{ FieldRef struct{ FieldPath string } }
					}
					Resources struct{ Limits map[string]string }
				}
			}
		}
	}
}

func onKubernetes(more ...string) []string {
	return submit(append([]string{"--kubernetes", "--claim", "results", "--image", "pengcde:1"}, more...)...)
}

func TestSubmitKubernetes(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", t.TempDir()) // without Slurm, without kubectl
	for _, c := range []struct {
		more   []string
		pods   int
		limits string
		ends   string
	}{
		{nil, 1, "map[cpu:1 memory:5121Mi]", "--jobs=1 --checkpoint-every 30s"}, // nothing is trained
		{[]string{"--jobs", "2", "--array-size", "3"}, 3, "map[cpu:2 memory:5121Mi]", "--jobs=2 --checkpoint-every 30s"},
		{[]string{"--gpus", "1", "--cpus", "4", "--memory", "8Gi", "--stale"}, 1, "map[cpu:4 memory:8Gi nvidia.com/gpu:1]",
			"--stale --jobs=1 --backend xla:cuda --checkpoint-every 30s"},
	} {
		code, stdout, stderr := in(t, folder, folder, onKubernetes(c.more...)...)
		var got manifestOf
		if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
			t.Fatalf("%q: code %d, %v\n%s", c.more, code, err, stderr)
		}
		container := got.Spec.Template.Spec.Containers[0]
		command := strings.Join(container.Command, " ")
		if got.Spec.Completions != c.pods || fmt.Sprint(container.Resources.Limits) != c.limits ||
			!strings.HasPrefix(command, "pengcde run epidemics --profile quick ") || !strings.HasSuffix(command, c.ends) {
			t.Errorf("%q: %d pods with %v run %s", c.more, got.Spec.Completions, container.Resources.Limits, command)
		}
		if !strings.Contains(stderr, "kubectl delete job "+got.Metadata.Name) || !strings.Contains(stderr, "ReadWriteMany") {
			t.Errorf("%q: %s", c.more, stderr)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v, want nothing written", entries, err)
	}
}

// A pod gets the memory that its processes need by plan, and a quarter more.
func TestSubmitKubernetesMemory(t *testing.T) {
	folder := t.TempDir()
	mebibytes := func(jobs string) int {
		var got manifestOf
		text := output(t, folder, "submit", "table-wealth", "--models", "constant", "--only", "family=grid", "--seeds", "0-3",
			"--kubernetes", "--claim", "results", "--image", "pengcde:1", "--jobs", jobs)
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		memory, _ := strings.CutSuffix(got.Spec.Template.Spec.Containers[0].Resources.Limits["memory"], "Mi")
		n, err := strconv.Atoi(memory)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	one, three := mebibytes("1"), mebibytes("3")
	if one < 1536*5/4 || one > 3000 || three < 3*one-3 || three > 3*one {
		t.Errorf("%d MiB for one process and %d for three", one, three)
	}
}

func TestSubmitKubernetesMistakes(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{submit("--kubernetes", "--image", "pengcde:1"), "--kubernetes without --claim"},
		{submit("--kubernetes", "--claim", "results"), "or --image"},
		{onKubernetes("--cpus=-1"), "--cpus -1, want 1 or more"},
		{submit("--claim", "results"), "are for --kubernetes"},
		{onKubernetes("--time", "4:00:00"), "are for Slurm"},
		{onKubernetes("--sbatch=--account=physics"), "are for Slurm"},
		{onKubernetes("--data", "mine.json"), "pods see no files of this machine"},
		{onKubernetes("--gpus", "a100:1"), "node selector"},
		{onKubernetes("--array-size", "0"), "0 pods, want 1 or more"},
		{onKubernetes("--memory", "8GB"), `"8GB" memory`},
	} {
		code, stdout, stderr := in(t, folder, folder, c.args...)
		if said := strings.Join(strings.Fields(stderr), " "); code != exitUsage || stdout != "" ||
			!strings.Contains(said, c.want) {
			t.Errorf("%q: code %d, %q, want %q", c.args, code, said, c.want)
		}
	}
}

// namespaces is the call that gives a pod its own processes, mounts and host name, and the volume at /mnt; nil where
// this machine does not allow it.
func namespaces() []string {
	call := []string{"unshare", "--user", "--map-root-user", "--mount", "--uts", "--pid", "--fork", "--kill-child",
		"--mount-proc", "sh", "-c", `hostname "$0" && mount --bind "$1" /mnt && shift && exec "$@"`}
	if exec.Command(call[0], append(call[1:], "pod", os.TempDir(), "true")...).Run() != nil {
		return nil
	}
	return call
}

// pods starts the pods of a manifest on one results folder.
type pods struct {
	t        *testing.T
	manifest manifestOf
	folder   string
	isolate  []string
}

type pod struct {
	*exec.Cmd
	name   string
	stderr bytes.Buffer
}

// start starts the pod with an index, for the nth time.
func (p pods) start(index, nth int) *pod {
	job, container := p.manifest.Metadata.Name, p.manifest.Spec.Template.Spec.Containers[0]
	one := &pod{name: fmt.Sprintf("%s-%d-%d", job, index, nth)}
	call, results := append([]string{os.Args[0]}, container.Command[1:]...), p.folder
	if p.isolate != nil {
		call = slices.Concat(p.isolate, []string{fmt.Sprintf("%s-%d", job, index), p.folder}, call)
		results = "/mnt"
	}
	one.Cmd = exec.Command(call[0], call[1:]...)
	one.Dir = p.folder
	one.Env = append(os.Environ(), commandEnv+"=1", fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index))
	fields := map[string]string{"metadata.name": one.name, "spec.nodeName": fmt.Sprintf("node%d", index),
		"metadata.labels['batch.kubernetes.io/job-name']": job}
	for _, v := range container.Env {
		if v.ValueFrom != nil {
			v.Value = fields[v.ValueFrom.FieldRef.FieldPath]
		}
		one.Env = append(one.Env, v.Name+"="+v.Value)
	}
	one.Env = append(one.Env, experiments.ResultsEnv+"="+results) // the claim is at another place than in the manifest
	one.Stderr = &one.stderr
	one.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := one.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = syscall.Kill(-one.Process.Pid, syscall.SIGKILL) })
	return one
}

// first returns the number, on this machine, of the first process of a pod, to which Kubernetes sends signals.
func (p pods) first(one *pod) int {
	if p.isolate == nil {
		return one.Process.Pid
	}
	pid := one.Process.Pid
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	child, err2 := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || err2 != nil {
		p.t.Fatalf("the process of a pod is not known: %v, %v", err, err2)
	}
	return child
}

// Pods share the runs of a study: each run is made once. A pod that gets SIGTERM stores a checkpoint, and the training
// of a pod that is killed goes on in another.
func TestPodsShareTheRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("waits a minute for the lease of a pod that is killed")
	}
	const runs = 6
	p := pods{t: t, folder: t.TempDir(), isolate: namespaces()}
	t.Logf("pods have namespaces of their own: %t", p.isolate != nil)
	text := output(t, p.folder, "submit", "epidemics", "--models", "constant", "--only", "country=england", "--only",
		"split=random", "--seeds", "0-5", "--backend", "go", "--checkpoint-every", "1ms", "--kubernetes", "--array-size", "2",
		"--claim", "results", "--image", "pengcde:1")
	if err := json.Unmarshal([]byte(text), &p.manifest); err != nil {
		t.Fatal(err)
	}
	made := make(map[string]string)
	deadline := time.Now().Add(4 * time.Minute)
	look := func() { // a stored run never changes
		for name, content := range files(t, p.folder, "*.json") {
			if before, known := made[name]; known && before != content {
				t.Errorf("%s was made twice", name)
			}
			made[name] = content
		}
		if time.Now().After(deadline) {
			t.Fatalf("after four minutes %d of %d runs are stored", len(made), runs)
		}
		time.Sleep(2 * time.Millisecond)
	}
	trains := func(one *pod) { // waits until the pod has trained a part of a run, with a checkpoint
		for {
			for name, content := range files(t, p.folder, "*.lock") {
				var lease store.Lease
				run := strings.TrimSuffix(name, ".lock")
				if json.Unmarshal([]byte(content), &lease) == nil && lease.Host == one.name && lease.At.Epoch > 0 &&
					lease.At.Part < 0.5 && len(files(t, p.folder, run+".b.safetensors")) > 0 {
					if lease.Job != p.manifest.Metadata.Name || lease.Task == "" || lease.Node != "node"+lease.Task {
						t.Errorf("the lease of pod %s says %s", one.name, content)
					}
					return
				}
			}
			if len(made) == runs {
				t.Fatalf("%s has trained nothing:\n%s", one.name, one.stderr.String())
			}
			look()
		}
	}
	evicted, killed := p.start(0, 0), p.start(1, 0)
	trains(evicted)
	if err := syscall.Kill(p.first(evicted), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := evicted.Wait(); evicted.ProcessState.ExitCode() != exitTerminated || !strings.Contains(
		evicted.stderr.String(), "goes on from here") {
		t.Errorf("after SIGTERM: %v\n%s", err, evicted.stderr.String())
	}
	for name, content := range files(t, p.folder, "*.lock") {
		if strings.Contains(content, evicted.name) {
			t.Errorf("after SIGTERM the pod holds %s", name)
		}
	}
	trains(killed)
	if err := syscall.Kill(-killed.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // killed
	replaced := []*pod{p.start(0, 1), p.start(1, 1)}
	ended := make(chan error, len(replaced))
	for _, one := range replaced {
		go func() { ended <- one.Wait() }()
	}
	for left := len(replaced); left > 0; look() {
		select {
		case err := <-ended:
			if left--; err != nil {
				t.Errorf("a pod failed: %v", err)
			}
		default:
		}
	}
	said := killed.stderr.String() + replaced[0].stderr.String() + replaced[1].stderr.String()
	if look(); len(made) != runs || strings.Count(said, "training goes on in epoch") != 2 {
		t.Errorf("%d of %d runs are stored:\n%s", len(made), runs, said)
	}
	if left, err := filepath.Glob(filepath.Join(p.folder, "epidemics", "*.safetensors*")); err != nil || len(left) > 0 {
		t.Errorf("left beside the results: %v, %v", left, err)
	}
}
