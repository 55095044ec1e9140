package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/peng-cde/pengcde-go/internal/durable"
)

// archiveExtension ends the names of archives, which hold the records of one study that come with the module, only of
// runs with facts. A decompressed archive (Zstandard) consists of JSON lines: a head, and the records in the order of
// the head's names. The seal covers the head and all records.
const archiveExtension = ".jsonl.zst"

type archiveHead struct {
	Study string
	Names []string // without extension
}

// archiveWindow is large, so that runs can refer far back: seeds and folds of a study share most of their identity.
const archiveWindow = 32 << 20

// ArchiveFile returns the path of a study's archive in the checkout of the working folder; "" outside a checkout.
func ArchiveFile(study string) string {
	root := checkout()
	if root == "" {
		return ""
	}
	return filepath.Join(root, "results", study+archiveExtension)
}

// Shipped returns the records that came with the module, by file name without extension; none outside a checkout.
func Shipped(study string) (map[string][]byte, error) { return shipped(study, readRecords) }

// shippedNames is Shipped without the records. It reads only the head of the archive, so it does not notice if the rest
// is damaged.
func shippedNames(study string) (map[string][]byte, error) { return shipped(study, readNames) }

func shipped(study string, read func(path, study string) (map[string][]byte, error)) (map[string][]byte, error) {
	path := ArchiveFile(study)
	if path == "" {
		return nil, nil
	}
	records, err := read(path, study)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("experiments/store: %w: archive %s: %w; get it again from the repository, or leave it out "+
			"with --fresh (Options.Fresh)", ErrStore, path, err)
	}
	return records, nil
}

// WriteArchive replaces an archive in one step, and returns its size in bytes.
func WriteArchive(path, study string, records map[string][]byte) (size int, err error) {
	head := archiveHead{study, slices.Sorted(maps.Keys(records))}
	content, _ := json.Marshal(head) // strings cannot fail
	for _, name := range head.Names {
		content = append(append(content, '\n'), records[name]...)
	}
	pack, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), // these options are valid
		zstd.WithWindowSize(archiveWindow))
	packed := pack.EncodeAll(seal(append(content, '\n')), nil)
	if err := errors.Join(durable.RemoveBegun(path), durable.WriteFile(path, packed)); err != nil {
		return 0, fmt.Errorf("experiments/store: %w: %w; the archive is as it was: make room and ship again", ErrStore, err)
	}
	return len(packed), nil
}
