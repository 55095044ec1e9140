package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/slurm"
)

// The name in the record of a job, which is used in paths and Slurm queries, is the name of its file.
func TestSubmissionNames(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(experiments.ResultsEnv, folder)
	file := filepath.Join(folder, "sir", "slurm", "pengcde-sir-1.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for content, says := range map[string]string{
		`{"Name":"pengcde-sir-1","Choice":{"Study":"sir"}}`:              "",
		`{"Name":"../../../pengcde-sir-1","Choice":{"Study":"sir"}}`:     `names the job "../../../pengcde-sir-1"`,
		`{"Name":"pengcde-sir-1","Choice":{"Study":"../sir"}}`:           `of the study "../sir"`,
		`{"Name":"pengcde-sir-1` + strings.Repeat("x", 1<<20) + `"}    `: "more than 1048576 bytes",
	} {
		err := os.WriteFile(file, []byte(content), 0o600)
		var notes strings.Builder
		all, errRead := submissions("sir", &notes)
		said := strings.Join(strings.Fields(notes.String()), " ")
		if errors.Join(err, errRead) != nil || (len(all) == 1) != (says == "") || (said == "") != (says == "") ||
			!strings.Contains(said, says) || says != "" && !strings.Contains(said, file) {
			t.Errorf("%.60s: %d records, %v, %q, want %q", content, len(all), errors.Join(err, errRead), said, says)
		}
	}
}

// A submission without --seeds is read again, also as earlier versions stored it, and a record that is damaged does not
// keep the jobs of the others from being cancelled.
func TestSubmissionWithoutSeeds(t *testing.T) {
	folder := t.TempDir()
	cluster(t, map[string]string{"sbatch": "echo 812", "scancel": `echo "$@" >` + folder + "/cancelled"})
	output(t, folder, "submit", "epidemics", "--models", "zero")
	file := ""
	for name := range files(t, folder, "slurm/*.json") {
		file = filepath.Join(folder, "epidemics", "slurm", name)
	}
	record, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(record), `"Seeds"`) {
		t.Fatalf("%v, want a record without seeds:\n%s", err, record)
	}
	name := strings.TrimSuffix(filepath.Base(file), slurm.RecordExtension)
	cluster(t, map[string]string{"squeue": fmt.Sprintf("printf '812\\t0\\tRUNNING\\tnode1\\t1:00\\tNone\\t%s\\n'", name)})
	for what, content := range map[string]string{"of now": string(record),
		"of earlier": strings.Replace(string(record), `"Models"`, `"Seeds": "", "Models"`, 1)} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if text := output(t, folder, "status", "epidemics"); !strings.Contains(text, "node1: task 812_0 running") {
			t.Errorf("%s: status prints:\n%s", what, text)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "other.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := in(t, folder, folder, "cancel", "epidemics")
	if code != 0 || !strings.HasPrefix(stdout, "cancelled: 812;") || !strings.Contains(stderr, "--name=other") {
		t.Errorf("cancel: code %d\n%s\n%s", code, stdout, stderr)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "cancelled")); err != nil || string(got) != "812\n" {
		t.Errorf("scancel is given %q, %v", got, err)
	}
}
