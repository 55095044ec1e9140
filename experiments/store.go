package experiments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// ResultsEnv names the environment variable that says where results lie.
const ResultsEnv = "PENGCDE_RESULTS"

// ErrInput is wrapped by errors about names and options that do not exist.
var ErrInput = errors.New("invalid input")

// ErrStore is wrapped when results cannot be written or read.
var ErrStore = errors.New("results folder cannot be used")

// Folder is where results lie; see the package's doc.
func Folder() (string, error) {
	if folder := os.Getenv(ResultsEnv); folder != "" {
		return folder, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("experiments: %w", err)
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "experiments", "store.go")); err == nil {
			return filepath.Join(folder, "build", "results"), nil
		}
		if folder == filepath.Dir(folder) {
			return filepath.Join(here, "pengcde-results"), nil
		}
	}
}

// Record is what one file of the results folder holds.
type Record[R any] struct {
	Experiment string
	// Identity is all that decides the outcome, in canonical form; the file's name is its hash.
	Identity json.RawMessage
	// Run is the outcome, nil when there is an Error.
	Run *R `json:",omitempty"`
	// Error says why the run could not be made, though its setting did not diverge.
	Error string `json:",omitempty"`
	// Seconds is the time it took, also before it was cut off, and Ended when it was done.
	Seconds float64
	Ended   time.Time
	// Machine and Versions say what computed it.
	Machine  Machine
	Versions map[string]string
}

// Machine is what a run was made on.
type Machine struct {
	System, Backend string
	CPUs            int
}

// slot is the place of one run in the results folder.
type slot struct {
	experiment string
	identity   json.RawMessage
	base       string // of its files, without extension
}

// newSlot names the place of the run that identity decides.
func newSlot(folder, experiment string, identity any) (slot, error) {
	canonical, err := json.Marshal(identity)
	if err != nil {
		return slot{}, fmt.Errorf("experiments: identity of a run: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return slot{experiment, canonical, filepath.Join(folder, experiment, hex.EncodeToString(sum[:8]))}, nil
}

func (s slot) file() string { return s.base + ".json" }

// find reads the record; nil when there is none. A file that is damaged, or is of another run, is a record of that error.
func find[R any](s slot) (*Record[R], error) {
	content, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %w: %w; set %s to a folder that can be read", ErrStore, err, ResultsEnv)
	}
	var r Record[R]
	err = json.Unmarshal(content, &r)
	switch {
	case err == nil && r.Run == nil && r.Error == "":
		err = errors.New("it holds no run")
	case err == nil && (r.Experiment != s.experiment || !sameJSON(r.Identity, s.identity)):
		err = errors.New("it is of another run")
	}
	if err != nil {
		return &Record[R]{Experiment: s.experiment, Identity: s.identity, Error: fmt.Sprintf("stored file %s is damaged: %v", s.file(), err)}, nil
	}
	return &r, nil
}

// sameJSON compares but for white space, which a person or a program may have added to a file.
func sameJSON(a, b json.RawMessage) bool {
	var compact [2]bytes.Buffer
	for i, text := range []json.RawMessage{a, b} {
		if err := json.Compact(&compact[i], text); err != nil {
			return false
		}
	}
	return bytes.Equal(compact[0].Bytes(), compact[1].Bytes())
}

// save writes the record in one step.
func save[R any](s slot, r Record[R]) error {
	r.Experiment, r.Identity = s.experiment, s.identity
	content, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("experiments: store a run: %w", err)
	}
	if err := durable.WriteFile(s.file(), append(content, '\n')); err != nil {
		return unusable(err)
	}
	return nil
}

func unusable(err error) error {
	return fmt.Errorf("experiments: %w: %w; what was stored before is kept: make room, or set %s to another folder, and run again", ErrStore, err, ResultsEnv)
}

// checkpoint is that of the training that makes the run.
func (s slot) checkpoint() *train.Checkpoint { return &train.Checkpoint{Path: s.base} }

// lock keeps other processes from the run, or says that one of them has it. The lock ends with the process, however that
// ends. Unlocking with done removes what lies beside the result.
func (s slot) lock() (unlock func(done bool) error, locked bool, err error) {
	if err := os.MkdirAll(filepath.Dir(s.base), 0o755); err != nil {
		return nil, false, unusable(err)
	}
	path := s.base + ".lock"
	file := flock.New(path, flock.SetPermissions(0o644))
	if locked, err := file.TryLock(); err != nil || !locked {
		if err != nil {
			err = unusable(err)
		}
		return nil, false, err
	}
	// Who had the lock may have removed its file meanwhile: then this lock is of a file that nobody else meets.
	if here, err := os.Stat(path); err != nil || !sameFile(here, file) {
		return nil, false, file.Unlock()
	}
	if err := durable.RemoveBegun(s.file()); err != nil {
		return nil, false, errors.Join(unusable(err), file.Unlock())
	}
	unlock = func(done bool) error {
		var err error
		if done {
			if err = s.checkpoint().Remove(); err == nil {
				err = os.Remove(path)
			}
			if err != nil {
				err = unusable(err)
			}
		}
		return errors.Join(err, file.Unlock())
	}
	return unlock, true, nil
}

func sameFile(here fs.FileInfo, file *flock.Flock) bool {
	held, err := file.Stat()
	return err == nil && os.SameFile(here, held)
}

// tidy removes what a process that was killed between storing a run and unlocking it left beside the result.
func (s slot) tidy() error {
	left, err := filepath.Glob(s.base + ".*")
	if err != nil || len(left) < 2 {
		return err
	}
	unlock, locked, err := s.lock()
	if err != nil || !locked {
		return err
	}
	return unlock(true)
}
