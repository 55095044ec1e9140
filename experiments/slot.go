package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// slot is the place of one run in a store, as made by one kind of backend with one generation of the numerics.
type slot struct {
	store
	identity   json.RawMessage
	generation int
	backend    string // its kind; "" where it is not known, which no run is of
	name       string // of its files, without extension
}

// slot is the place of the run that identity decides, made by a kind of backend with this generation.
func (s store) slot(backend string, identity any) (slot, error) {
	canonical, err := json.Marshal(identity)
	if err != nil {
		return slot{}, fmt.Errorf("experiments: identity of a run: %w", err)
	}
	return s.place(&Record{Identity: canonical, Generation: generation, Backend: backend}), nil
}

// place returns the slot of a record.
func (s store) place(r *Record) slot { return slot{s, r.Identity, r.Generation, r.Backend, r.Name()} }

// hashOf is the part of a name that stands for an identity in canonical form.
func hashOf(identity []byte) string {
	sum := sha256.Sum256(identity)
	return hex.EncodeToString(sum[:8])
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

// path is the path of the slot's files, without extension.
func (s slot) path() string { return filepath.Join(s.folder, s.name) }

const resultExtension = ".json"

func (s slot) file() string { return s.path() + resultExtension }

// others are the places where the same run is stored otherwise: by another backend, or of another generation.
func (s slot) others() (all []slot, err error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(err)
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), resultExtension); ok {
			names = append(names, name)
		}
	}
	names = slices.AppendSeq(names, maps.Keys(s.shipped))
	run, _, _ := strings.Cut(s.name, "-")
	for _, name := range names { // see [Record.Name]
		rest, same := strings.CutPrefix(name, run+"-g")
		number, backend, named := strings.Cut(rest, "-")
		if generation, err := strconv.Atoi(number); err == nil && same && named && name != s.name {
			all = append(all, slot{s.store, s.identity, generation, backend, name})
		}
	}
	return all, nil
}

// removeOlder deletes the run's files of earlier generations, unless another process is at them.
func (s slot) removeOlder() error {
	others, err := s.others()
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.generation >= s.generation {
			continue
		}
		if _, err := other.locked(func(*holding) (bool, error) {
			err := os.Remove(other.file())
			if errors.Is(err, fs.ErrNotExist) { // it came with the module
				return true, nil
			}
			return err == nil, unusable(err)
		}); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint returns the checkpoint of the training that makes the run.
func (s slot) checkpoint() *train.Checkpoint {
	return &train.Checkpoint{Path: s.path(), Key: fmt.Sprintf("generation %d by %s", s.generation, s.backend)}
}

// kept says whether the run is stored here, or its training, or a trial of it, has a checkpoint.
func (s slot) kept() bool {
	_, err := os.Stat(s.file())
	if err == nil || s.checkpoint().Exists() {
		return true
	}
	trials, err := durable.Beside(s.path() + trialInfix)
	return err == nil && len(trials) > 0
}

// removeCheckpoints deletes the checkpoints of the run and of its trials.
func (s slot) removeCheckpoints() error {
	all := []error{s.checkpoint().Remove()}
	trials, err := durable.Beside(s.path() + trialInfix)
	for _, file := range trials {
		all = append(all, os.Remove(file))
	}
	return errors.Join(append(all, err)...)
}

func (s slot) claimFile() string { return s.path() + claimExtension }

// claim keeps other processes from the run; nil where one of them has it. The claim ends with the process, however that
// ends, see [claims].
func (s slot) claim() (*holding, error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, unusable(err)
	}
	h, err := s.claims.take(s.claimFile())
	if err != nil || h == nil {
		return nil, unusable(err)
	}
	if err := durable.RemoveBegun(s.file()); err != nil {
		return nil, errors.Join(unusable(err), h.release(func() error { return nil }))
	}
	return h, nil
}

// locked calls do while this process has the run, unless another one has. When it is done, what lies beside the result
// is removed.
func (s slot) locked(do func(*holding) (done bool, err error)) (locked bool, err error) {
	h, err := s.claim()
	if err != nil || h == nil {
		return false, err
	}
	done := false
	defer func() {
		err = errors.Join(err, h.release(func() error {
			if !done {
				return nil
			}
			return errors.Join(s.removeCheckpoints(), removeMoved(h.path))
		}))
	}()
	done, err = do(h)
	return true, err
}

// tidy removes what a process that was killed between storing a run and unlocking it left beside the result.
func (s slot) tidy() error {
	left, err := durable.Beside(s.path() + ".")
	if err == nil && len(left) > 1 {
		_, err = s.locked(func(*holding) (bool, error) { return true, nil })
	}
	return err
}
