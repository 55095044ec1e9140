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
	if root := checkout(here); root != "" {
		return filepath.Join(root, "build", "results"), nil
	}
	return filepath.Join(here, "pengcde-results"), nil
}

// checkout is the folder of this module that holds a folder; "" where none does.
func checkout(folder string) string {
	for ; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "experiments", "store.go")); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// store are the runs of one study: those of the results folder, and those that came with the module.
type store struct {
	study, folder string
	shipped       map[string][]byte // the content of record files, by name without extension
}

func openStore(study string, o Options) (store, error) {
	folder, err := Folder()
	if err != nil {
		return store{}, err
	}
	s := store{study: study, folder: filepath.Join(folder, study)}
	if !o.Fresh {
		s.shipped, err = shippedRuns(study)
	}
	return s, err
}

// found is what is stored of a run.
type found struct {
	// record is of this generation: that of the slot, or else one of another backend; nil where there is none.
	record *Record
	// elsewhere says that another backend made it, shipped that it came with the module.
	elsewhere, shipped bool
	// stale says that another generation is stored.
	stale bool
}

// made says that the slot itself holds a run.
func (f found) made() bool { return f.record != nil && !f.elsewhere && f.record.Error == "" }

// find reads what is stored of a run.
func (s slot) find() (f found, err error) {
	if f.record, f.shipped, err = s.read(); err != nil || f.record != nil {
		return f, err
	}
	others, err := s.others()
	if err != nil {
		return f, err
	}
	for _, other := range others {
		if other.generation != s.generation {
			f.stale = true
			continue
		}
		record, shipped, err := other.read()
		if err != nil {
			return f, err
		}
		if record != nil && (f.record == nil || f.record.Error != "") {
			f.record, f.shipped, f.elsewhere = record, shipped, true
		}
	}
	f.stale = f.stale && f.record == nil
	return f, nil
}

// read is the record of a slot, and whether it came with the module; nil when there is none. A file that is damaged,
// or is of another run, is a record of that error.
func (s slot) read() (r *Record, shipped bool, err error) {
	content, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		if content, shipped = s.shipped[s.name]; !shipped {
			return nil, false, nil
		}
	} else if err != nil {
		return nil, false, unreadable(err)
	}
	if r, err = s.decode(content); err != nil {
		r = &Record{Study: s.study, Identity: s.identity, Generation: s.generation, Backend: s.backend,
			Error: fmt.Sprintf("stored file %s is damaged: %v", s.file(), err)}
	}
	return r, shipped, nil
}

// decode reads the content of the slot's file.
func (s slot) decode(content []byte) (*Record, error) {
	r, err := decodeRecord(content)
	if err == nil && (r.Study != s.study || !bytes.Equal(r.Identity, s.identity) || r.Generation != s.generation ||
		fileName(r.Backend) != fileName(s.backend)) {
		err = errors.New("it is of another run")
	}
	return r, err
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
