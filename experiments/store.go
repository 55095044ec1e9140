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
type Record[R any] struct {
	Experiment string
	// Identity is all else that decides the outcome, in canonical form. The file's name is made of its hash, the
	// generation of the numerics and the kind of backend.
	Identity   json.RawMessage
	Generation int
	Backend    string
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

// found is what the results folder holds of a run.
type found[R any] struct {
	// record is of this generation: that of the slot, or else one of another backend; nil where there is none.
	record *Record[R]
	// elsewhere says that another backend made it.
	elsewhere bool
	// stale are the places of other generations.
	stale []slot
}

// missing says that there is no record of any generation.
func (f found[R]) missing() bool { return f.record == nil && len(f.stale) == 0 }

// made says that the slot itself holds a run.
func (f found[R]) made() bool { return f.record != nil && !f.elsewhere && f.record.Error == "" }

// find reads what is stored of a run.
func find[R any](s slot) (f found[R], err error) {
	if f.record, err = read[R](s); err != nil || f.record != nil {
		return f, err
	}
	others, err := s.others()
	if err != nil {
		return f, err
	}
	for _, other := range others {
		if other.generation != s.generation {
			f.stale = append(f.stale, other)
			continue
		}
		record, err := read[R](other)
		if err != nil {
			return f, err
		}
		if record != nil && (f.record == nil || f.record.Error != "") {
			f.record, f.elsewhere = record, true
		}
	}
	return f, nil
}

// read is the record of a slot; nil when there is none. A file that is damaged, or is of another run, is a record of
// that error.
func read[R any](s slot) (*Record[R], error) {
	content, err := os.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %w: %w; set %s to a folder that can be read", ErrStore, err, ResultsEnv)
	}
	var r Record[R]
	if content, err = checked(content); err == nil {
		err = json.Unmarshal(content, &r)
	}
	switch {
	case err == nil && r.Run == nil && r.Error == "":
		err = errors.New("it holds no run")
	case err == nil && (r.Experiment != s.experiment || !bytes.Equal(r.Identity, s.identity) ||
		r.Generation != s.generation || fileName(r.Backend) != fileName(s.backend)):
		err = errors.New("it is of another run")
	}
	if err != nil {
		return &Record[R]{Experiment: s.experiment, Identity: s.identity, Generation: s.generation, Backend: s.backend,
			Error: fmt.Sprintf("stored file %s is damaged: %v", s.file(), err)}, nil
	}
	return &r, nil
}

// save writes the record in one step.
func save[R any](s slot, r Record[R]) error {
	r.Experiment, r.Identity, r.Generation, r.Backend = s.experiment, s.identity, s.generation, s.backend
	content, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("experiments: store a run: %w", err)
	}
	if err := durable.WriteFile(s.file(), append(summed(content), '\n')); err != nil {
		return unusable(err)
	}
	return nil
}

// A record's file is its JSON with the SHA-256 of it, without white space, as the first entry.
const checksumBegin, checksumEnd = `{"Checksum":"`, `",`

// summed puts the checksum into an object.
func summed(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append([]byte(checksumBegin+hex.EncodeToString(sum[:])+checksumEnd), content[1:]...)
}

// checked takes the checksum out again. White space, which a person or a program may have added to a file, does not
// count.
func checked(file []byte) ([]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, file); err != nil {
		return nil, err
	}
	rest, found := bytes.CutPrefix(compact.Bytes(), []byte(checksumBegin))
	want, rest, also := bytes.Cut(rest, []byte(checksumEnd))
	if !found || !also {
		return nil, errors.New("it does not begin with a checksum")
	}
	content := append([]byte("{"), rest...)
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != string(want) {
		return nil, errors.New("its checksum is not that of its content, which was altered")
	}
	return content, nil
}

func unusable(err error) error {
	return fmt.Errorf("experiments: %w: %w; what was stored before is kept: make room, or set %s to another folder, and run again", ErrStore, err, ResultsEnv)
}
