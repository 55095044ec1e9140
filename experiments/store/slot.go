package store

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
	"time"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Slot is the location of one run in a store, made by one kind of backend with one generation of the numerics.
type Slot struct {
	Store
	identity   json.RawMessage
	generation int
	backend    string // kind of backend; "" if unknown, which matches no run
	name       string // name of its files, without extension
}

// Slot returns the slot of the run with an identity, made by a kind of backend with a generation of the numerics.
func (s Store) Slot(identity any, generation int, backend string) (Slot, error) {
	canonical, err := encode(identity)
	if err != nil {
		return Slot{}, fmt.Errorf("experiments/store: identity of a run: %w", err)
	}
	return s.slotOf(&Record{Identity: canonical, Generation: generation, Backend: backend}), nil
}

// Canonical is a part of an identity that [json.Marshal] has written. Many identities share it, and it is not checked
// again for each.
type Canonical []byte

// MarshalJSON returns the part.
func (c Canonical) MarshalJSON() ([]byte, error) { return c, nil }

// encode returns what [json.Marshal] returns.
func encode(identity any) ([]byte, error) {
	parts, ok := identity.(map[string]any)
	if !ok {
		return json.Marshal(identity)
	}
	size := 0
	for name, value := range parts {
		part, _ := value.(Canonical)
		size += len(name) + len(part) + 64
	}
	text := append(make([]byte, 0, size), '{')
	for i, name := range slices.Sorted(maps.Keys(parts)) {
		if i > 0 {
			text = append(text, ',')
		}
		key, err := json.Marshal(name)
		part, canonical := parts[name].(Canonical)
		if !canonical && err == nil {
			part, err = json.Marshal(parts[name])
		}
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, key...), ':'), part...)
	}
	return append(text, '}'), nil
}

// slotOf returns the slot of a record.
func (s Store) slotOf(r *Record) Slot { return Slot{s, r.Identity, r.Generation, r.Backend, r.Name()} }

// In returns the slot of the same run in another store.
func (s Slot) In(other Store) Slot {
	s.Store = other
	return s
}

// Name returns the name of the run's files, without extension.
func (s Slot) Name() string { return s.name }

// Hash returns the hash of the run's identity, which begins the names of its files.
func (s Slot) Hash() string {
	hash, _, _ := strings.Cut(s.name, "-")
	return hash
}

// hash returns the part of a file name that represents an identity in canonical form.
func hash(identity []byte) string {
	sum := sha256.Sum256(identity)
	return hex.EncodeToString(sum[:8])
}

// fileName returns a kind of backend in the form used in file names: "xla-cpu" for "xla:cpu".
func fileName(backend string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, backend)
}

// path returns the path of the slot's files, without extension.
func (s Slot) path() string { return filepath.Join(s.folder, s.name) }

const resultExtension = ".json"

func (s Slot) file() string { return s.path() + resultExtension }

// Names holds the names of stored runs by the hash of their identity, without extension and sorted.
type Names map[string][]string

// Names returns the names of the runs that are stored now or came with the module.
func (s Store) Names() (Names, error) {
	names := make(Names)
	add := func(name string) {
		hash, _, _ := strings.Cut(name, "-") // see [Record.Name]
		names[hash] = append(names[hash], name)
	}
	files, err := s.Files()
	if err != nil {
		return nil, err
	}
	for name, endings := range files {
		if slices.Contains(endings, resultExtension) {
			add(name)
		}
	}
	for _, each := range s.everywhere() {
		for name := range each.shipped {
			add(name)
		}
	}
	for hash, same := range names {
		slices.Sort(same)
		names[hash] = slices.Compact(same)
	}
	return names, nil
}

// others returns the other slots that hold the same run: of another backend, or of another generation.
func (s Slot) others(names Names) (all []Slot) {
	for _, name := range names[s.Hash()] {
		rest, same := strings.CutPrefix(name, s.Hash()+"-g")
		number, backend, named := strings.Cut(rest, "-")
		if generation, err := strconv.Atoi(number); err == nil && same && named && name != s.name {
			all = append(all, Slot{s.Store, s.identity, generation, backend, name})
		}
	}
	return all
}

// RemoveOlder deletes the run's files of earlier generations, unless another process is using them.
func (s Slot) RemoveOlder() error {
	names, err := s.Names()
	if err != nil {
		return err
	}
	for _, other := range s.others(names) {
		if other.generation >= s.generation {
			continue
		}
		if _, err := other.Lock(func(*HeldLease) (bool, error) {
			err := os.Remove(other.file())
			if errors.Is(err, fs.ErrNotExist) { // it came with the module, or another study has it
				return true, nil
			}
			return err == nil, Unusable(err)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Checkpoint returns the checkpoint of the training that makes the run.
func (s Slot) Checkpoint() *train.Checkpoint {
	return &train.Checkpoint{Path: s.path(), Key: fmt.Sprintf("generation %d by %s", s.generation, s.backend)}
}

// TrialInfix follows the name of the run in the names of its trials' checkpoints.
const TrialInfix = ".trial"

// removeLeft deletes what trainings and killed processes left beside the record and the lease. It lists the folder once
// if there is nothing.
func (s Slot) removeLeft() error {
	beside, err := durable.Beside(s.path() + ".")
	left := func(file string) bool { return file != s.file() && file != s.LeaseFile() }
	if err != nil || !slices.ContainsFunc(beside, left) {
		return err
	}
	all := []error{durable.RemoveBegun(s.file()), s.Checkpoint().Remove(), removeMoved(s.LeaseFile())}
	for _, file := range beside {
		if strings.Contains(filepath.Base(file), s.name+TrialInfix) {
			all = append(all, os.Remove(file))
		}
	}
	return errors.Join(all...)
}

// LeaseFile returns the path of the run's lease file.
func (s Slot) LeaseFile() string { return s.path() + leaseExtension }

// Take reserves the run for this process; it returns nil if another process has it. The lease ends with the process,
// however that ends.
func (s Slot) Take() (*HeldLease, error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, Unusable(err)
	}
	h, err := s.leases.take(s.LeaseFile())
	return h, Unusable(err)
}

// Lock calls do while this process holds the run, unless another process has it. If do returns done, the files next
// to the result are removed.
func (s Slot) Lock(do func(*HeldLease) (done bool, err error)) (locked bool, err error) {
	h, err := s.Take()
	if err != nil || h == nil {
		return false, err
	}
	done := false
	defer func() {
		err = errors.Join(err, h.release(func() error {
			if !done {
				return nil
			}
			return s.removeLeft()
		}))
	}()
	if done, err = do(h); done {
		h.SetTries(0)
	}
	return true, err
}

// Watch looks at another process's lease on the run, for a later Take, and locks nothing. It returns the lease, and
// whether it changed recently, which means that its holder lives.
func (s Slot) Watch() (l Lease, lives bool, err error) {
	if l, lives, err = s.leases.watch(s.LeaseFile()); err != nil {
		err = unreadable(err)
	}
	return l, lives, err
}

// Files holds the ends of file names in a study's folder, such as ".json", by the name of their run. The records of
// other studies that its store looks in are included.
type Files map[string][]string

// Files returns the current files of the study.
func (s Store) Files() (Files, error) {
	all := make(Files)
	for i, each := range s.everywhere() {
		entries, err := os.ReadDir(each.folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, unreadable(err)
		}
		for _, entry := range entries {
			name, ending, _ := strings.Cut(entry.Name(), ".")
			if ending = "." + ending; i == 0 || ending == resultExtension {
				all[name] = append(all[name], ending)
			}
		}
	}
	return all, nil
}

// Record and Lease report whether a run has a record in a folder, and a lease.
func (f Files) Record(s Slot) bool { return slices.Contains(f[s.name], resultExtension) }
func (f Files) Lease(s Slot) bool  { return slices.Contains(f[s.name], leaseExtension) }

// Kept reports whether the run is stored here, or its training or one of its trials has a checkpoint.
func (f Files) Kept(s Slot) bool {
	return slices.ContainsFunc(f[s.name], func(ending string) bool { return !strings.HasPrefix(ending, leaseExtension) })
}

// Bury records that the holder of a lease has ended, so that its run can be taken at once.
func (s Store) Bury(l Lease) { s.leases.Bury(l) }

// WrittenAfter reports whether the run's file was written after a time, by the clock of the file system.
func (s Slot) WrittenAfter(t time.Time) bool {
	info, err := os.Stat(s.file())
	return err == nil && info.ModTime().After(t)
}

// Exists reports whether a file holds the run, in the study's folder or another's.
func (s Slot) Exists() bool {
	return slices.ContainsFunc(s.everywhere(), func(each Store) bool {
		_, err := os.Stat(s.In(each).file())
		return err == nil
	})
}

// Tidy removes the files next to a result that a process left when it was killed between storing and unlocking the
// run. files are the study's.
func (s Slot) Tidy(files Files) error {
	if !slices.ContainsFunc(files[s.name], func(ending string) bool { return ending != resultExtension }) {
		return nil
	}
	_, err := s.Lock(func(*HeldLease) (bool, error) { return true, nil })
	return err
}
