package experiments

import (
	"context"
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
type Record struct {
	Experiment string
	// Identity is all that decides the outcome, in canonical form; the file's name is its hash.
	Identity json.RawMessage
	// Run is the outcome, nil when there is an Error.
	Run *Run `json:",omitempty"`
	// Error says why the run could not be made, though its setting did not diverge.
	Error string `json:",omitempty"`
	// Seconds is the time it took, over all its sessions, and Ended when it was done.
	Seconds float64
	Ended   time.Time
	// PeakBytes is the largest resident memory of the process while the run was made; 0 where it is not known.
	PeakBytes int64 `json:",omitempty"`
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

// find reads the record; nil when there is none.
func (s slot) find() (*Record, error) {
	content, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable(err)
	}
	var r Record
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("experiments: stored run %s is damaged: %w: %w; delete the file to compute it again", s.file(), ErrStore, err)
	}
	return &r, nil
}

// save writes the record in one step.
func (s slot) save(r Record) error {
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

// lock keeps other processes from the run, or says that one of them has it. The lock ends with the process, however that
// ends. With wait it waits.
func (s slot) lock(ctx context.Context, wait bool) (unlock func(done bool) error, locked bool, err error) {
	if err := os.MkdirAll(filepath.Dir(s.base), 0o755); err != nil {
		return nil, false, unusable(err)
	}
	file := flock.New(s.base + ".lock")
	if wait {
		const poll = 300 * time.Millisecond
		locked, err = file.TryLockContext(ctx, poll)
	} else {
		locked, err = file.TryLock()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err != nil:
		return nil, false, unusable(err)
	case !locked:
		return nil, false, nil
	}
	if err := durable.RemoveBegun(s.file()); err != nil {
		return nil, false, errors.Join(unusable(err), file.Unlock())
	}
	unlock = func(done bool) error {
		if done { // whoever waits for the lock finds the result, also under the name that is gone
			if err := os.Remove(file.Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return errors.Join(unusable(err), file.Unlock())
			}
		}
		return file.Unlock()
	}
	return unlock, true, nil
}
