package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// archiveExtension ends the names of archives: the records of one study that come with the module. Unpacked by
// Zstandard, an archive is JSON lines: the head, sealed together with all that follows it, and the records in the order
// of the head's names.
const archiveExtension = ".jsonl.zst"

type archiveHead struct {
	Study string
	Names []string // without extension
}

// archiveWindow lets runs refer to those far before them: seeds and folds of a study share most of their identity.
const archiveWindow = 32 << 20

// archiveFile is where a study's archive lies in the checkout of the working folder; "" outside of one.
func archiveFile(study string) string {
	root := checkout()
	if root == "" {
		return ""
	}
	return filepath.Join(root, "results", study+archiveExtension)
}

// shippedRuns are the records that came with the module, by the names of their files without extension; none outside a
// checkout.
func shippedRuns(study string) (map[string][]byte, error) {
	path := archiveFile(study)
	if path == "" {
		return nil, nil
	}
	records := make(map[string][]byte)
	err := readArchive(path, func(of, name string, record []byte) error {
		if of != study {
			return fmt.Errorf("it is of study %s", of)
		}
		records[name] = bytes.Clone(record)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %w: archive %s: %w; get it again from the repository, or leave it out with "+
			"--fresh (Options.Fresh)", ErrStore, path, err)
	}
	return records, nil
}

// writeArchive replaces an archive in one step, and returns its size in bytes.
func writeArchive(path, study string, records map[string][]byte) (size int, err error) {
	head := archiveHead{study, slices.Sorted(maps.Keys(records))}
	content, _ := json.Marshal(head) // texts
	for _, name := range head.Names {
		content = append(append(content, '\n'), records[name]...)
	}
	pack, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), // options that fit
		zstd.WithWindowSize(archiveWindow))
	packed := pack.EncodeAll(seal(append(content, '\n')), nil)
	if err := errors.Join(durable.RemoveBegun(path), durable.WriteFile(path, packed)); err != nil {
		return 0, fmt.Errorf("experiments: %w: %w; the archive is as it was: make room and ship again", ErrStore, err)
	}
	return len(packed), nil
}

// ShipReport says what [Study.Ship] wrote.
type ShipReport struct {
	// File is the archive, of so many Bytes.
	File  string
	Bytes int
	// Runs are in it; Missing are planned, but not made, or stored with an error.
	Runs, Missing int
}

// Ship writes the stored runs that options ask for to the archive of the study in this checkout,
// results/STUDY.jsonl.zst, from which every checkout shows them. Of their profile it holds no others then; runs that
// only the present archive holds are kept, unless Options.Fresh is set. Runs of other profiles stay as they are in the
// archive. Errors wrap [ErrStore], and [ErrInput] outside a checkout or where nothing is stored; the archive is then as
// it was.
func (s Study) Ship(ctx context.Context, o Options) (r ShipReport, err error) {
	if r.File = archiveFile(s.Name); r.File == "" {
		return r, errs.New(ErrInput, "experiments: ship %s: the working folder is in no checkout of the module, want one",
			s.Name)
	}
	report, err := s.Stored(ctx, o)
	if err != nil {
		return r, err
	}
	records := make(map[string][]byte)
	for _, result := range report.Results.Made() {
		if records[result.Record.Name()], err = result.Record.encode(); err != nil {
			return r, fmt.Errorf("experiments: ship %s: %w", s.Name, err)
		}
	}
	r.Runs, r.Missing = len(records), len(report.Results)-len(records)
	if r.Runs == 0 {
		return r, errs.New(ErrInput, "experiments: ship %s: nothing is stored of profile %s in %s, run it first",
			s.Name, report.Profile, report.folder)
	}
	if err := s.keepOthers(ctx, report, o, records); err != nil {
		return r, err
	}
	r.Bytes, err = writeArchive(r.File, s.Name, records)
	return r, err
}

// keepOthers adds the runs in the present archive that other profiles plan, and a report's does not.
func (s Study) keepOthers(ctx context.Context, report *Report, o Options, records map[string][]byte) error {
	present, err := shippedRuns(s.Name)
	if o.Fresh && errors.Is(err, ErrStore) { // it is to be replaced
		return nil
	}
	if err != nil || len(present) == 0 {
		return err
	}
	others := make(map[string]bool) // by the hash that names of runs begin with
	for _, profile := range Profiles() {
		if profile == report.Profile {
			continue
		}
		o.Profile = profile
		planned, err := s.plan(ctx, o)
		if err != nil {
			return err
		}
		for _, result := range planned.Results {
			others[hashOf(result.slot.identity)] = true
		}
	}
	for _, result := range report.Results {
		delete(others, hashOf(result.slot.identity))
	}
	for name, record := range present {
		if hash, _, _ := strings.Cut(name, "-"); others[hash] {
			records[name] = record
		}
	}
	return nil
}
