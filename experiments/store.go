package experiments

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// ResultsEnv names the environment variable that says where results lie.
const ResultsEnv = "PENGCDE_RESULTS"

// ErrInput is wrapped by errors about names and options that do not exist.
var ErrInput = errors.New("invalid input")

// ErrNotStored is wrapped by errors about runs of which nothing is stored yet, so that there is nothing to show.
var ErrNotStored = errors.New("not stored")

// ErrStore is wrapped when results cannot be written or read.
var ErrStore = errors.New("results folder cannot be used")

// Folder is where results lie; see the package's doc.
func Folder() (string, error) {
	if folder := os.Getenv(ResultsEnv); folder != "" {
		return folder, nil
	}
	if root := checkout(); root != "" {
		return filepath.Join(root, "build", "results"), nil
	}
	folder, err := filepath.Abs("pengcde-results")
	if err != nil {
		return "", fmt.Errorf("experiments: %w", err)
	}
	return folder, nil
}

// checkout is the folder of this module that holds the working folder; "" where none does.
func checkout() string {
	root, _ := moduleroot.Find(".")
	return root
}

// store finds the runs of one study, in the results folder and among the runs that came with the module.
type store struct {
	study, folder string
	shipped       map[string][]byte // the content of record files, by name without extension
	claims        *claims
}

func openStore(study string, o Options) (store, error) {
	folder, err := Folder()
	if err != nil {
		return store{}, err
	}
	s := store{study: study, folder: filepath.Join(folder, study), claims: o.claims}
	if s.claims == nil {
		s.claims = new(claims)
	}
	if !o.Fresh {
		s.shipped, err = shippedRuns(study)
	}
	return s, err
}

// find reads the record of a run.
func (r Result) find() (f Result, err error) {
	f = Result{Run: r.Run, slot: r.slot}
	if f.Record, f.Shipped, err = r.slot.read(); err != nil || f.Record != nil {
		return f, err
	}
	others, err := r.slot.others()
	if err != nil {
		return f, err
	}
	for _, other := range others {
		if other.generation != r.slot.generation {
			f.Stale = true
			continue
		}
		record, shipped, err := other.read()
		if err != nil {
			return f, err
		}
		if record != nil && (f.Record == nil || f.Record.Error != "") {
			f.Record, f.Shipped, f.Elsewhere = record, shipped, true
		}
	}
	f.Stale = f.Stale && f.Record == nil
	return f, nil
}

// errDamaged is wrapped by the error of a stored file that is damaged or of another run.
var errDamaged = errors.New("is damaged")

// read is the record of a slot, and whether it came with the module; nil when there is none. An own file that is
// damaged or holds an error gives way to a run that came with the module; else one that is damaged is a record of that
// error.
func (s slot) read() (r *Record, shipped bool, err error) {
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

// own is the record of the slot's file; nil when there is none.
func (s slot) own() (*Record, error) {
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
func (s slot) decode(content []byte) (*Record, error) {
	r, err := decodeRecord(content)
	if err == nil && (r.Study != s.study || r.Name() != s.name || !bytes.Equal(r.Identity, s.identity)) {
		err = errors.New("it is of another run")
	}
	if err != nil {
		return nil, fmt.Errorf("stored file %s %w: %w", s.file(), errDamaged, err)
	}
	return r, nil
}

// save writes the record in one step.
func (s slot) save(r Record) error {
	r.Study, r.Identity, r.Generation, r.Backend = s.study, s.identity, s.generation, s.backend
	content, err := r.encode()
	if err != nil {
		return fmt.Errorf("experiments: store a run: %w", err)
	}
	return write(s.file(), content)
}

func write(file string, record []byte) error {
	return unusable(durable.WriteFile(file, slices.Concat(bytes.TrimSpace(record), []byte("\n"))))
}

// unusable says of an error, if there is one, what to do.
func unusable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("experiments: %w: %w; what was stored before is kept: make room, or set %s to another folder, "+
		"and run again", ErrStore, err, ResultsEnv)
}

func unreadable(err error) error {
	return fmt.Errorf("experiments: %w: %w; set %s to a folder that can be read", ErrStore, err, ResultsEnv)
}
