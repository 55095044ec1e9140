package store

import (
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
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// conflictFolder lies in a study's folder and is not read for results: it keeps the other outcomes of the same runs, as
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

// Merge brings the stored runs of other places into a results folder; "" means [Folder]. Places are results
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
			return report, errs.New(ErrInput, "experiments/store: merge: %w, want a results folder or an archive", err)
		}
	}
	m := merger{ctx: ctx, into: into}
	for _, place := range from {
		if err := m.place(place); err != nil {
			return m.MergeReport, err
		}
	}
	return m.MergeReport, nil
}

type merger struct {
	MergeReport
	ctx  context.Context
	into string
}

func (m *merger) left(what string, why any) {
	m.Left = append(m.Left, fmt.Sprintf("%s: %v", what, why))
}

// place merges an archive, or all archives and records of a folder.
func (m *merger) place(path string) error {
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(path, file)
		is := func(pattern string) bool {
			matches, _ := filepath.Match(filepath.FromSlash(pattern), inside)
			return matches
		}
		var stopped error // which is not about the file
		each := func(study, name string, content []byte) error {
			stopped = m.record(study, name, content, fmt.Sprintf("%s (run %s)", file, name))
			return stopped
		}
		switch {
		case err != nil:
		case entry.IsDir() || strings.HasPrefix(entry.Name(), "."): // begun by another process
		case inside == "." || is("*"+archiveExtension):
			err = readArchive(file, each)
		case is("*/*"+resultExtension) || is("*/"+conflictFolder+"/*"+resultExtension):
			study, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
			name, _, _ := strings.Cut(entry.Name(), ".")
			var content []byte
			if content, err = readRecord(file); err == nil {
				err = each(study, name, content)
			}
		}
		if stopped != nil {
			return stopped
		}
		if err != nil {
			m.left(file, err)
		}
		return m.ctx.Err()
	})
}

// record merges one that a source holds by a study and a name.
func (m *merger) record(study, name string, content []byte, source string) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	r, err := DecodeRecord(content)
	if err == nil && !durable.IsName(r.Study) {
		err = nameError(r.Study)
	}
	if err == nil && (r.Study != study || r.Name() != name) {
		err = fmt.Errorf("it is of %s, run %s", r.Study, r.Name())
	}
	if err != nil {
		m.left(source, err)
		return nil
	}
	target := Store{study: study, folder: filepath.Join(m.into, study)}.place(r)
	locked, err := target.Lock(func(*HeldLease) (made bool, err error) { return m.put(target, r, content, source) })
	if err == nil && !locked {
		m.left(source, "another process is making the run: merge again when it is done")
	}
	return err
}

// put stores a record in its slot, which is locked, unless another is there, and says whether one with facts is.
func (m *merger) put(target Slot, r *Record, content []byte, source string) (made bool, err error) {
	there, err := target.own()
	if errors.Is(err, errDamaged) {
		m.left(source, fmt.Sprintf("%v; remove it and merge again", err))
		return false, nil
	}
	switch {
	case err != nil:
		return false, err
	case there == nil || there.Error != "" && r.Error == "":
		if err := write(target.file(), content); err != nil {
			return false, err
		}
		m.Added++
		return r.Error == "", nil
	case r.Error != "" || r.Facts.Outcome() == there.Facts.Outcome():
		m.Same++
		return there.Error == "", nil
	}
	other := filepath.Join(target.folder, conflictFolder, target.name+"."+r.Facts.Outcome()+resultExtension)
	if !slices.Contains(m.Conflicts, other) {
		m.Conflicts = append(m.Conflicts, other)
	}
	return true, write(other, content)
}

// Outcome returns a hash of what two runs of one identity have in common, of facts that were read.
func (f Facts) Outcome() string {
	f.PeakBytes = 0
	if f.Training != nil {
		t := *f.Training
		t.SecondsPerEpoch = 0
		t.Tries, t.Rejected, t.Stiffness = nil, nil, 0 // a run may be from before they were noted, or asked for
		f.Training = &t
	}
	content, _ := json.Marshal(f) // numbers that were read can be written
	return hash(content)
}
