package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// slot is the place of one run in the results folder, as made by one kind of backend with one generation of the
// numerics.
type slot struct {
	experiment string
	identity   json.RawMessage
	generation int
	backend    string // its kind; "" where it is not known, which no run is of
	run        string // path of the files of all generations and backends, without what tells them apart
	base       string // path of its own files, without extension
}

// newSlot names the place of the run that identity decides, made by a kind of backend.
func newSlot(folder, experiment, backend string, identity any) (slot, error) {
	canonical, err := json.Marshal(identity)
	if err != nil {
		return slot{}, fmt.Errorf("experiments: identity of a run: %w", err)
	}
	sum := sha256.Sum256(canonical)
	run := filepath.Join(folder, experiment, hex.EncodeToString(sum[:8]))
	s := slot{experiment: experiment, identity: canonical, run: run}
	return s.of(generation, backend), nil
}

// of is the place of the same run of another generation and backend.
func (s slot) of(generation int, backend string) slot {
	s.generation, s.backend = generation, backend
	s.base = fmt.Sprintf("%s-g%d-%s", s.run, generation, fileName(backend))
	return s
}

// fileName is a kind of backend as file names have it: "xla-cpu" for "xla:cpu".
func fileName(backend string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, backend)
}

const resultExtension = ".json"

func (s slot) file() string { return s.base + resultExtension }

// others are the places where the same run is stored otherwise: by another backend, or of another generation.
func (s slot) others() (all []slot, err error) {
	entries, err := os.ReadDir(filepath.Dir(s.run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %w: %w; set %s to a folder that can be read", ErrStore, err, ResultsEnv)
	}
	for _, entry := range entries {
		run, generation, backend, ok := parseName(entry.Name())
		if other := s.of(generation, backend); ok && run == filepath.Base(s.run) && other.base != s.base {
			all = append(all, other)
		}
	}
	return all, nil
}

// parseName reads the name of a result's file, RUN-gGENERATION-BACKEND.json.
func parseName(file string) (run string, generation int, backend string, ok bool) {
	name, isResult := strings.CutSuffix(file, resultExtension)
	run, rest, named := strings.Cut(name, "-g")
	number, backend, two := strings.Cut(rest, "-")
	generation, err := strconv.Atoi(number)
	return run, generation, backend, isResult && named && two && err == nil
}

// formerResults counts the results of an experiment whose files have no generation in their name: they are of the time
// before that was recorded, and are not read.
func formerResults(folder, experiment string) int {
	entries, _ := os.ReadDir(filepath.Join(folder, experiment)) // where it cannot be read, reading a run will say so
	count := 0
	for _, entry := range entries {
		name := entry.Name()
		_, _, _, ok := parseName(name)
		if !ok && strings.HasSuffix(name, resultExtension) && !strings.HasPrefix(name, ".") {
			count++
		}
	}
	return count
}

// removeOlder deletes what is stored of the run by earlier generations, unless another process is at it.
func (s slot) removeOlder() error {
	others, err := s.others()
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.generation >= s.generation {
			continue
		}
		unlock, locked, err := other.lock()
		if err != nil {
			return err
		}
		if !locked {
			continue
		}
		err = os.Remove(other.file())
		if err != nil {
			err = unusable(err)
		}
		if err := errors.Join(err, unlock(err == nil)); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint is that of the training that makes the run.
func (s slot) checkpoint() *train.Checkpoint {
	return &train.Checkpoint{Path: s.base, Key: fmt.Sprintf("generation %d by %s", s.generation, s.backend)}
}

// lock keeps other processes from the run, or says that one of them has it. The lock ends with the process, however
// that ends. Unlocking with done removes what lies beside the result.
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
