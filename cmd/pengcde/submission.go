package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/slurm"
	"github.com/peng-cde/pengcde-go/internal/starter"
)

// submission is the record of a job whose tasks make the runs of a choice.
type submission = slurm.Submission[choice]

// slurmFolder returns the folder of a study's submissions.
func slurmFolder(study string) (string, error) {
	folder, err := experiments.Folder()
	if err != nil {
		return "", err
	}
	folder, err = filepath.Abs(folder)
	return filepath.Join(folder, study, "slurm"), err
}

// submissions reads the submissions of a study, oldest first, and notes the records that cannot be read.
func submissions(study string, notes io.Writer) ([]submission, error) {
	folder, err := slurmFolder(study)
	if err != nil {
		return nil, err
	}
	skipped := func(err error) { fmt.Fprint(notes, wrapped(err.Error(), usualWidth)) }
	return slurm.Submissions(folder, study, func(c choice) string { return c.Study }, skipped)
}

// arguments returns arguments that select the same runs again, from any folder.
func (c choice) arguments() []string {
	args := []string{c.Study, "--profile", c.Profile}
	if len(c.Models) > 0 {
		args = append(args, "--models", strings.Join(c.Models, ","))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Only)) {
		args = append(args, "--only", key+"="+strings.Join(c.Only[key], ","))
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

// shell quotes a line of arguments for a shell.
func shell(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = starter.Quote(arg)
	}
	return strings.Join(quoted, " ")
}

// String returns the form that UnmarshalText parses.
func (s seeds) String() string {
	var parts []string
	for _, seed := range s {
		parts = append(parts, strconv.FormatUint(seed, 10))
	}
	return strings.Join(parts, ",")
}

// MarshalText implements [encoding.TextMarshaler].
func (s seeds) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalJSON implements [json.Unmarshaler]. Records of earlier versions have "" for the seeds of the profile.
func (s *seeds) UnmarshalJSON(content []byte) error {
	var text string
	if err := json.Unmarshal(content, &text); err != nil || text == "" {
		*s = nil
		return err
	}
	return s.UnmarshalText([]byte(text))
}
