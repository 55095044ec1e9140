package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
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
		all, errRead := submissions("sir")
		if errors.Join(err, errRead) == nil != (says == "") || says != "" && (len(all) > 0 ||
			!strings.Contains(errRead.Error(), says) || !strings.Contains(errRead.Error(), file)) {
			t.Errorf("%.60s: %d records, %v, want %q", content, len(all), errors.Join(err, errRead), says)
		}
	}
}
