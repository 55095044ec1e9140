package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/starter"
)

// Submission is the record of a submitted job, with the runs and options of its tasks. Its file, its script and its
// tasks' logs are in one folder and have its name, which is also the job's name.
type Submission[Choice any] struct {
	Name string
	// Job is Slurm's job number; "" if submitting was interrupted.
	Job       string
	Tasks     int
	Submitted time.Time
	Choice    Choice
	// Backend is the requested backend.
	Backend string
}

// NewSubmission returns a submission with a unique name, which begins with pengcde and the study's name.
func NewSubmission[Choice any](study string, c Choice, backend string, tasks int) Submission[Choice] {
	now := time.Now()
	return Submission[Choice]{Submitted: now.UTC().Truncate(time.Second), Tasks: tasks, Choice: c, Backend: backend,
		Name: fmt.Sprintf("pengcde-%s-%s-%04x", study, now.Format("20060102-150405"), rand.N(1<<16))}
}

// The extensions of a submission's files.
const (
	RecordExtension = ".json"
	ScriptExtension = ".sh"
)

const submissionLimit = 1 << 20 // bytes of a record

// Path returns the path of the submission's files, without extension.
func (s Submission[Choice]) Path(folder string) string { return filepath.Join(folder, s.Name) }

// Submit submits the script to Slurm. It writes record and script before, so that no job is without them.
func (s *Submission[Choice]) Submit(ctx context.Context, folder, script string) error {
	if err := durable.WriteFile(s.Path(folder)+ScriptExtension, []byte(script)); err != nil {
		return fmt.Errorf("keep the script of the job: %w", err)
	}
	err := s.save(folder)
	if err == nil {
		s.Job, err = Submit(ctx, s.Path(folder)+ScriptExtension)
	}
	if err != nil {
		if ctx.Err() == nil { // else Slurm may have taken it
			err = errors.Join(err, s.forget(folder))
		}
		return err
	}
	return s.save(folder)
}

func (s Submission[Choice]) save(folder string) error {
	content, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		err = durable.WriteFile(s.Path(folder)+RecordExtension, append(content, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep a record of the job: %w", err)
	}
	return nil
}

// forget removes the files of a job that Slurm did not accept.
func (s Submission[Choice]) forget(folder string) error {
	for _, extension := range []string{ScriptExtension, RecordExtension} {
		if err := os.Remove(s.Path(folder) + extension); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Submissions reads the submissions in a folder, the oldest first. It leaves out records that cannot be read, and calls
// skipped with the reason.
func Submissions[Choice any](folder, study string, named func(Choice) string,
	skipped func(error)) (all []Submission[Choice], err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != RecordExtension {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		var s Submission[Choice]
		content, err := bounded.ReadFile(file, bounded.Limit{Default: submissionLimit})
		if err == nil {
			err = json.Unmarshal(content, &s)
		}
		if err == nil && (s.Name+RecordExtension != entry.Name() || named(s.Choice) != study) {
			err = fmt.Errorf("it names the job %.60q of the study %.60q", s.Name, named(s.Choice))
		}
		if err != nil {
			skipped(fmt.Errorf("record of a job %s cannot be used: %w; it is left out: end its job with scancel --name=%s, "+
				"then remove it", file, err, starter.Quote(strings.TrimSuffix(entry.Name(), RecordExtension))))
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Submission[Choice]) int { return a.Submitted.Compare(b.Submitted) })
	return all, nil
}

// JobNames returns the names of the submissions' jobs.
func JobNames[Choice any](all []Submission[Choice]) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}
