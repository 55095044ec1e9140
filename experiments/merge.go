package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/durable"
)

// conflictFolder lies in that of a study and is not read for results: it keeps the other outcomes of the same runs, as
// NAME.HASH.json with a hash of the outcome.
const conflictFolder = "conflicts"

// MergeReport says what [Merge] did.
type MergeReport struct {
	// Added records were new; Same were there with the same outcome.
	Added, Same int
	// Conflicts are the files of records with another outcome than the one that was there, which stays.
	Conflicts []string
	// Left says, a line each, which records were not merged and why: their files are damaged, or another process is
	// making the run.
	Left []string
}

// Merge brings the stored runs of other places into a results folder; "" means that of [Folder]. Places are results
// folders, and archives of shipped runs or folders of them. Records of the same run are one where their outcomes are
// equal: what differs in every run (times, memory, machine, date, versions) does not count, and the record that was
// there stays. One of another outcome goes to INTO/STUDY/conflicts, where it is never read as a result. An error that
// kept a run from being made gives way to a run that was made. Places are only read, and nothing that was made is lost.
//
// Each record is written in one step. When ctx ends, or on an error, which wraps [ErrStore] or, for a place that does
// not exist, [ErrInput], what was merged so far stays, and the next call does the rest.
func Merge(ctx context.Context, into string, from []string) (report MergeReport, err error) {
	if into == "" {
		if into, err = Folder(); err != nil {
			return report, err
		}
	}
	for _, place := range from {
		if _, err := os.Stat(place); err != nil {
			return report, fmt.Errorf("experiments: merge: %w, want a results folder or an archive: %w", err, ErrInput)
		}
	}
	m := merger{ctx, into, &report}
	for _, place := range from {
		if err := m.place(place); err != nil {
			return report, err
		}
	}
	return report, nil
}

type merger struct {
	ctx    context.Context
	into   string
	report *MergeReport
}

func (m merger) left(what string, why any) {
	m.report.Left = append(m.report.Left, fmt.Sprintf("%s: %v", what, why))
}

// place merges an archive, or all archives and records of a folder.
func (m merger) place(path string) error {
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(path, file)
		parts := strings.Split(filepath.ToSlash(inside), "/")
		in := len(parts)
		kept := in >= 2 && parts[1] == conflictFolder
		switch {
		case m.ctx.Err() != nil:
			return m.ctx.Err()
		case err != nil:
			m.left(file, err)
		case entry.IsDir() && in >= 2 && !(in == 2 && kept):
			return fs.SkipDir
		case entry.IsDir() || strings.HasPrefix(entry.Name(), "."): // begun by another process
		case file == path || in == 1 && strings.HasSuffix(file, archiveExtension):
			return m.archive(file)
		case in >= 2 && strings.HasSuffix(file, resultExtension):
			content, err := os.ReadFile(file)
			if err != nil {
				m.left(file, err)
				return nil
			}
			name, _, _ := strings.Cut(entry.Name(), ".")
			return m.record(parts[0], name, content, file)
		}
		return nil
	})
}

func (m merger) archive(path string) error {
	study, records, err := readArchive(path)
	if err != nil {
		m.left(path, err)
	}
	for name, content := range records {
		if err := m.record(study, name, content, path+" "+name); err != nil {
			return err
		}
	}
	return nil
}

// record merges one that a source holds by a study and a name.
func (m merger) record(study, name string, content []byte, source string) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	r, err := decodeRecord(content)
	if err == nil && (r.Study != study || r.Name() != name) {
		err = fmt.Errorf("it is of %s, run %s", r.Study, r.Name())
	}
	if err != nil {
		m.left(source, err)
		return nil
	}
	target, err := store{study: study, folder: filepath.Join(m.into, study)}.slot(r.Backend, r.Identity)
	if err != nil {
		return err
	}
	target = target.of(r.Generation, r.Backend)
	unlock, locked, err := target.lock()
	if err != nil {
		return err
	}
	if !locked {
		m.left(source, "another process is making the run: merge again when it is done")
		return nil
	}
	done, err := m.put(target, r, content, source)
	return errors.Join(err, unlock(done))
}

// put stores a record in its slot, which is locked, unless another is there, and says whether one with facts is.
func (m merger) put(target slot, r *Record, content []byte, source string) (made bool, err error) {
	var there *Record
	old, err := os.ReadFile(target.file())
	if err == nil {
		if there, err = target.decode(old); err != nil {
			m.left(source, fmt.Sprintf("%s is damaged: %v; remove it and merge again", target.file(), err))
			return false, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, unreadable(err)
	}
	file := target.file()
	switch {
	case there == nil || there.Error != "" && r.Error == "":
		if err := write(file, content); err != nil {
			return false, err
		}
		m.report.Added++
		return r.Error == "", nil
	case r.Error != "":
		m.report.Same++
		return there.Error == "", nil
	}
	was, err := there.Facts.outcome()
	if err != nil {
		return true, err
	}
	is, err := r.Facts.outcome()
	if err != nil {
		return true, err
	}
	if bytes.Equal(was, is) {
		m.report.Same++
		return true, nil
	}
	file = filepath.Join(target.folder, conflictFolder, target.name+"."+hashOf(is)+resultExtension)
	if !slices.Contains(m.report.Conflicts, file) {
		m.report.Conflicts = append(m.report.Conflicts, file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return true, unusable(err)
	}
	return true, write(file, content)
}

func write(file string, record []byte) error {
	if err := durable.WriteFile(file, slices.Concat(bytes.TrimSpace(record), []byte("\n"))); err != nil {
		return unusable(err)
	}
	return nil
}

// outcome is what two runs of one identity have in common.
func (f Facts) outcome() ([]byte, error) {
	f.PeakBytes = 0
	if f.Training != nil {
		t := *f.Training
		t.SecondsPerEpoch = 0
		f.Training = &t
	}
	return json.Marshal(f)
}
