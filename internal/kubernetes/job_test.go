package kubernetes

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/*.job.json anew")

func job() Job {
	return Job{Name: "pengcde-table1-1", Image: "registry.example.org/pengcde:1",
		Command: []string{"pengcde", "run", "table1", "--only", "family=power law", "--jobs=1"},
		Env:     map[string]string{"PENGCDE_RESULTS": Results}, Pods: 3, Claim: "results", CPUs: 2, Memory: "2048Mi",
		Final: []int{2, 3}}
}

// The files are validated against the published schema by tools/test_kubernetes.py.
func TestManifest(t *testing.T) {
	gpu := job()
	gpu.GPUs = 1
	for name, j := range map[string]Job{"cpu": job(), "gpu": gpu} {
		got, err := j.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".job.json")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got), go test ./internal/kubernetes -update writes it:\n%s", name, diff)
		}
	}
}

// Each setting that is missing or wrong is an error that names it.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		says   string
	}{
		{func(j *Job) { j.Name = "Table1" }, `the name "Table1"`},
		{func(j *Job) { j.Name = strings.Repeat("a", 57) }, "56 of them at most"},
		{func(j *Job) { j.Image = "" }, `the image ""`},
		{func(j *Job) { j.Image = "a b" }, `the image "a b"`},
		{func(j *Job) { j.Claim = "" }, `the claim ""`},
		{func(j *Job) { j.Claim = "-x" }, `the claim "-x"`},
		{func(j *Job) { j.Pods = 0 }, "0 pods"},
		{func(j *Job) { j.CPUs = 0 }, "0 CPUs"},
		{func(j *Job) { j.GPUs = -1 }, "-1 GPUs"},
		{func(j *Job) { j.Memory = "" }, `"" memory`},
		{func(j *Job) { j.Memory = "2GiB" }, `"2GiB" memory`},
	} {
		j := job()
		c.change(&j)
		if content, err := j.Manifest(); err == nil || content != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// A process finds itself by the variables of the manifest and the one that Kubernetes adds.
func TestCurrent(t *testing.T) {
	for _, name := range []string{indexEnv, podEnv, nodeEnv, jobEnv} {
		t.Setenv(name, "")
	}
	if got := Current(); got != (Pod{}) || Inside() {
		t.Errorf("outside a pod: %+v, inside is %t", got, Inside())
	}
	want := Pod{Name: "a-3-xyz", Node: "n7", Job: "a", Index: "3"}
	fields := map[string]string{"metadata.name": want.Name, "spec.nodeName": want.Node,
		"metadata.labels['batch.kubernetes.io/job-name']": want.Job}
	t.Setenv("JOB_COMPLETION_INDEX", want.Index)
	for _, v := range job().variables() {
		if v.ValueFrom != nil {
			t.Setenv(v.Name, fields[v.ValueFrom.FieldRef.FieldPath])
		}
	}
	if got := Current(); got != want || !Inside() {
		t.Errorf("%+v, inside is %t, want %+v", got, Inside(), want)
	}
}
