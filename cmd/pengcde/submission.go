package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/starter"
)

// submission is the record of a job that was handed to Slurm. It lies beside its script and the logs of its tasks, all
// in the folder slurm of the study's results with its name, which is the job's too.
type submission struct {
	Name string
	// Job is Slurm's number; "" where submitting was cut off.
	Job       string
	Tasks     int
	Submitted time.Time
	Choice    choice
	// Backend is the one that was asked for.
	Backend string
}

// newSubmission has a name that no other has.
func newSubmission(c choice, backend string, tasks int) submission {
	now := time.Now()
	return submission{Submitted: now.UTC().Truncate(time.Second), Tasks: tasks, Choice: c, Backend: backend,
		Name: fmt.Sprintf("pengcde-%s-%s-%04x", c.Study, now.Format("20060102-150405"), rand.N(1<<16))}
}

// slurmFolder is where the submissions of a study lie.
func slurmFolder(study string) (string, error) {
	folder, err := experiments.Folder()
	if err != nil {
		return "", err
	}
	folder, err = filepath.Abs(folder)
	return filepath.Join(folder, study, "slurm"), err
}

// path is the path of the submission's files, without extension.
func (s submission) path(folder string) string { return filepath.Join(folder, s.Name) }

const (
	recordExtension = ".json"
	scriptExtension = ".sh"
	recordLimit     = 1 << 20 // bytes
)

func (s submission) save(folder string) error {
	content, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		err = durable.WriteFile(s.path(folder)+recordExtension, append(content, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep a record of the job: %w", err)
	}
	return nil
}

// forget removes what was written of a job that Slurm has not taken.
func (s submission) forget(folder string) error {
	for _, extension := range []string{scriptExtension, recordExtension} {
		if err := os.Remove(s.path(folder) + extension); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// submissions reads the submissions of a study, the oldest first.
func submissions(study string) (all []submission, err error) {
	folder, err := slurmFolder(study)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != recordExtension {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		content, err := bounded.ReadFile(file, bounded.Limit{Default: recordLimit})
		if err != nil {
			return nil, err
		}
		var s submission
		err = json.Unmarshal(content, &s)
		if err == nil && (s.Name+recordExtension != entry.Name() || s.Choice.Study != study) {
			err = fmt.Errorf("it names the job %.60q of the study %.60q", s.Name, s.Choice.Study)
		}
		if err != nil {
			return nil, fmt.Errorf("record of a job %s is damaged: %w; remove it", file, err)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b submission) int { return a.Submitted.Compare(b.Submitted) })
	return all, nil
}

func jobNames(all []submission) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// arguments choose the same runs again, from any folder.
func (c choice) arguments() []string {
	args := []string{c.Study, "--profile", c.Profile}
	if len(c.Models) > 0 {
		args = append(args, "--models", strings.Join(c.Models, ","))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Only)) {
		args = append(args, "--only", key+"="+c.Only[key])
	}
	if c.Seeds != nil {
		args = append(args, "--seeds", c.Seeds.String())
	}
	for _, path := range c.Data {
		args = append(args, "--data", path)
	}
	if c.Fresh {
		args = append(args, "--fresh")
	}
	return args
}

// shell is a line of arguments for a shell.
func shell(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = starter.Quote(arg)
	}
	return strings.Join(quoted, " ")
}

// String is what UnmarshalText reads.
func (s seeds) String() string {
	var parts []string
	for _, seed := range s {
		parts = append(parts, strconv.FormatUint(seed, 10))
	}
	return strings.Join(parts, ",")
}

// MarshalText implements [encoding.TextMarshaler].
func (s seeds) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
