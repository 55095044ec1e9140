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

// Beside are the paths that begin with path and go on, of files in its folder. Characters that patterns know stand for
// themselves.
func Beside(path string) (all []string, err error) {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if rest, found := strings.CutPrefix(entry.Name(), name); found && rest != "" {
			all = append(all, folder+entry.Name())
		}
	}
	return all, err
}

// RemoveBegun deletes temporary files that killed processes left of the file at path. Nobody may be writing it.
func RemoveBegun(path string) error {
	begun := filepath.Join(filepath.Dir(path), "."+filepath.Base(path))
	all, err := Beside(begun)
	for _, file := range all {
		if strings.Trim(file[len(begun):], "0123456789") != "" {
			continue
		}
		if failed := os.Remove(file); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
