// Package durable writes files that are either as they were or complete, also after a crash.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

// WriteFile puts content into the file at path, creating or replacing it, and its folder where there is none: a
// temporary file in the same folder, synced, renamed, the folder synced. After an error the file is what it was and no
// temporary file stays. A process that is killed meanwhile leaves one, see [RemoveBegun].
func WriteFile(path string, content []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, content, 0o644, renameio.WithTempDir(folder)); err != nil {
		return err
	}
	return SyncFolder(folder)
}

// SyncFolder makes a rename in the folder durable, where its file system can.
func SyncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// RemoveBegun deletes temporary files that killed processes left of the file at path. Nobody may be writing it.
func RemoveBegun(path string) error {
	folder, begun := filepath.Dir(path), "."+filepath.Base(path)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		number, found := strings.CutPrefix(entry.Name(), begun)
		if !found || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
