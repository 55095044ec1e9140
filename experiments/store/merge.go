package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// conflictFolder is a folder in a study's folder that is not read for results. It keeps other outcomes of the same
// runs, as NAME.HASH.json with a hash of the outcome.
const conflictFolder = "conflicts"

// MergeReport describes what [Merge] did.
type MergeReport struct {
	// Added counts new records. Same counts records that existed with the same outcome.
	Added, Same int
	// Conflicts lists the files of records whose outcome differs from the existing record, which stays.
	Conflicts []string
	// Left lists, one line each, the records that were not merged and why: their files are damaged, or another
	// process is making the run.
	Left []string
}

// Merge copies stored runs from several sources into a results folder; "" means [Folder]. Sources are results folders,
// archives of shipped runs, or folders of archives.
//
// Two records of the same run are the same if their outcomes are equal. Values that differ in every run (times,
// memory, machine, date, versions) do not count, and the existing record stays. A record with another outcome goes to
// INTO/STUDY/conflicts, which is never read for results. A stored error is replaced by a run that was made. Merge
// only reads its sources, and never loses a run that was made.
//
// Each record is written in one step. When ctx ends or an error occurs, the records merged so far stay, and the next
// call does the rest. Errors wrap [ErrStore] or, for a source that does not exist, [ErrInput].
func Merge(ctx context.Context, into string, from []string) (report MergeReport, err error) {
	if into == "" {
		if into, err = Folder(); err != nil {
			return report, err
		}
	}
	for _, source := range from {
		if _, err := os.Stat(source); err != nil {
			return report, errs.New(ErrInput, "experiments/store: merge: %w, want a results folder or an archive", err)
		}
	}
	m := merger{ctx: ctx, into: into}
	for _, source := range from {
		if err := m.source(source); err != nil {
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

// source merges an archive, or all archives and records of a folder.
func (m *merger) source(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		m.left(path, err)
		return nil
	}
	return m.inside(path, path, info.IsDir())
}

// inside merges a file of the folder root, or all files of a folder in it. It follows links to folders.
func (m *merger) inside(root, file string, folder bool) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	inside, _ := filepath.Rel(root, file)
	is := func(pattern string) bool {
		matches, _ := filepath.Match(filepath.FromSlash(pattern), inside)
		return matches
	}
	var stopped error // an error that is not about the file
	each := func(study, name string, content []byte) error {
		stopped = m.record(study, name, content, fmt.Sprintf("%s (run %s)", file, name))
		return stopped
	}
	var err error
	switch {
	case folder && (inside == "." || is("*") || is("*/"+conflictFolder)):
		var entries []os.DirEntry
		entries, err = os.ReadDir(file)
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".") { // unfinished file of another process
				continue
			}
			path := filepath.Join(file, entry.Name())
			info, err := os.Stat(path)
			if err != nil {
				m.left(path, err)
			} else if err := m.inside(root, path, info.IsDir()); err != nil {
				return err
			}
		}
	case folder:
	case inside == "." || is("*"+archiveExtension):
		err = readArchive(file, each)
	case is("*/*"+resultExtension) || is("*/"+conflictFolder+"/*"+resultExtension):
		study, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
		name, _, _ := strings.Cut(filepath.Base(file), ".")
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
}

// record merges one record of a source, given its study and name.
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
	target := In(filepath.Join(m.into, study), study, nil).slotOf(r)
	locked, err := target.Lock(func(*HeldLease) (made bool, err error) { return m.put(target, r, content, source) })
	if err == nil && !locked {
		m.left(source, "another process is making the run: merge again when it is done")
	}
	return err
}

// put stores a record in its locked slot, unless another record is there, and reports whether the slot has a record
// with facts.
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

// Outcome returns a hash of the facts that two runs of one identity share. The facts must have been read from a file.
func (f Facts) Outcome() string {
	f.PeakBytes = 0
	if f.Training != nil {
		t := *f.Training
		t.SecondsPerEpoch = 0
		t.Tries, t.Rejected, t.Stiffness = nil, nil, 0 // a run may predate these fields or lack them
		f.Training = &t
	}
	content, _ := json.Marshal(f) // numbers that were read can be written
	return hash(content)
}
