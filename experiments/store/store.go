package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// ResultsEnv names the environment variable that sets the results folder.
const ResultsEnv = "PENGCDE_RESULTS"

// ErrInput is wrapped by errors about names and options that do not exist.
var ErrInput = errors.New("invalid input")

// ErrStore is wrapped when results cannot be written or read.
var ErrStore = errors.New("results folder cannot be used")

// Folder returns the results folder; see package experiments.
func Folder() (string, error) {
	if folder := os.Getenv(ResultsEnv); folder != "" {
		return folder, nil
	}
	if root := checkout(); root != "" {
		return filepath.Join(root, "build", "results"), nil
	}
	folder, err := filepath.Abs("pengcde-results")
	if err != nil {
		return "", fmt.Errorf("experiments/store: %w", err)
	}
	return folder, nil
}

// checkout returns the folder of this module that contains the working folder; "" if there is none.
func checkout() string {
	root, _ := moduleroot.Find(".")
	return root
}

// Store finds the runs of one study, in the results folder and among the runs that came with the module. It also finds
// them where other studies have stored the same runs.
type Store struct {
	study, folder string
	shipped       map[string][]byte // content of record files, by name without extension
	leases        *Leases
	like          []Store // of studies with some of the same runs
}

// Open returns the store of a study. The study's name must be a single path element. A fresh store ignores the runs
// that came with the module. If leases is nil, the store has its own. like names studies that plan some of the same
// runs, which are found there too.
func Open(study string, fresh bool, leases *Leases, like ...string) (Store, error) {
	return open(study, fresh, leases, like, Shipped)
}

// OpenNames returns a store for [Store.Names] and [Slot.State] alone, which does not read the shipped records.
func OpenNames(study string, fresh bool, like ...string) (Store, error) {
	return open(study, fresh, nil, like, shippedNames)
}

func open(study string, fresh bool, leases *Leases, like []string,
	shipped func(string) (map[string][]byte, error)) (Store, error) {
	folder, err := Folder()
	if err != nil {
		return Store{}, err
	}
	s := In(filepath.Join(folder, study), study, leases)
	if !fresh {
		if s.shipped, err = shipped(study); err != nil {
			return s, err
		}
	}
	for _, name := range like {
		other, err := open(name, fresh, leases, nil, shipped)
		if err != nil {
			return s, err
		}
		s.like = append(s.like, other)
	}
	return s, nil
}

// In returns the store of a study in a folder, without runs that came with the module.
func In(folder, study string, leases *Leases) Store {
	if leases == nil {
		leases = new(Leases)
	}
	return Store{study: study, folder: folder, leases: leases}
}

// everywhere returns the store, and the stores of other studies that it looks in.
func (s Store) everywhere() []Store { return append([]Store{s}, s.like...) }

// Folder returns the folder where the runs are stored, or will be.
func (s Store) Folder() string { return s.folder }

// Now returns the time by the clock of the results folder, which may be another machine's.
func (s Store) Now() time.Time { return clockOf(s.folder) }

// Found is the record found for a run.
type Found struct {
	// Record is nil if nothing of the slot's generation is stored.
	Record *Record
	// Stale reports that only a record of another generation is stored. OtherBackend reports that another kind of
	// backend made the record than the slot's. Shipped reports that the record came with the module.
	Stale, OtherBackend, Shipped bool
}

// Find reads the record of the run, or else a record of another kind of backend.
func (s Slot) Find() (Found, error) { return s.find(s.Names) }

// FindIn is [Slot.Find] for many runs, with the result of [Store.Names].
func (s Slot) FindIn(names Names) (Found, error) {
	return s.find(func() (Names, error) { return names, nil })
}

func (s Slot) find(list func() (Names, error)) (f Found, err error) {
	if f.Record, f.Shipped, err = s.Read(); err != nil || f.Record != nil {
		return f, err
	}
	names, err := list()
	if err != nil {
		return f, err
	}
	for _, other := range s.others(names) {
		if other.generation != s.generation {
			f.Stale = true
			continue
		}
		record, shipped, err := other.Read()
		if err != nil {
			return f, err
		}
		if record != nil && (f.Record == nil || f.Record.Error != "") {
			f.Record, f.Shipped, f.OtherBackend = record, shipped, true
		}
	}
	f.Stale = f.Stale && f.Record == nil
	return f, nil
}

// errDamaged is wrapped by the error for a stored file that is damaged or belongs to another run.
var errDamaged = errors.New("is damaged")

// Read returns the record of a slot, and whether it came with the module; nil if there is none. If the own file is
// damaged or holds an error, a run that came with the module or that another study has stored takes precedence;
// otherwise a damaged file gives a record with that error.
func (s Slot) Read() (r *Record, shipped bool, err error) {
	for i, each := range s.everywhere() {
		found, came, err := s.In(each).read()
		if err != nil || found != nil && found.Error == "" {
			return found, came, err
		}
		if i == 0 {
			r, shipped = found, came
		}
	}
	return r, shipped, nil
}

// read is Read without other studies.
func (s Slot) read() (r *Record, shipped bool, err error) {
	r, err = s.own()
	none := r == nil && err == nil
	if content, found := s.shipped[s.name]; found && (none || errors.Is(err, errDamaged) || r != nil && r.Error != "") {
		if other, broken := s.decode(content); none || broken == nil {
			r, shipped, err = other, true, broken
		}
	}
	if errors.Is(err, errDamaged) {
		return &Record{Study: s.study, Identity: s.identity, Generation: s.generation, Backend: s.backend,
			Error: err.Error()}, shipped, nil
	}
	return r, shipped, err
}

// own returns the record of the slot's file; nil if there is none.
func (s Slot) own() (*Record, error) {
	content, err := readRecord(s.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	}
	return s.decode(content)
}

// decode reads the content of the slot's file.
func (s Slot) decode(content []byte) (*Record, error) {
	r, err := DecodeRecord(content)
	if err == nil && (r.Study != s.study || r.Name() != s.name || !bytes.Equal(r.Identity, s.identity)) {
		err = errors.New("it is of another run")
	}
	if err != nil {
		return nil, fmt.Errorf("stored file %s %w: %w", s.file(), errDamaged, err)
	}
	return r, nil
}

// Save writes the record in one step.
func (s Slot) Save(r Record) error {
	r.Study, r.Identity, r.Generation, r.Backend = s.study, s.identity, s.generation, s.backend
	content, err := r.Encode()
	if err != nil {
		return fmt.Errorf("experiments/store: store a run: %w", err)
	}
	return write(s.file(), content)
}

func write(file string, record []byte) error {
	return Unusable(durable.WriteFile(file, slices.Concat(bytes.TrimSpace(record), []byte("\n"))))
}

// Unusable wraps [ErrStore] and an error of writing, if not nil, and says what to do.
func Unusable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("experiments/store: %w: %w; what was stored before is kept: make room, or set %s to another "+
		"folder, and run again", ErrStore, err, ResultsEnv)
}

func unreadable(err error) error {
	return fmt.Errorf("experiments/store: %w: %w; set %s to a folder that can be read", ErrStore, err, ResultsEnv)
}
