// Package durable replaces files atomically: after a crash a file is either unchanged or complete.
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

// WriteFile writes content to the file at path, creating or replacing it, and creates its folder if necessary. It
// writes and syncs a temporary file in the same folder, renames it and syncs the folder. After an error the file is
// unchanged and no temporary file remains. A killed process may leave a temporary file, see [RemoveBegun].
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

// SyncFolder makes a rename in the folder durable, if its file system supports it.
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

// Beside returns the paths of files in path's folder that begin with path and are longer. Pattern characters in path
// stand for themselves.
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

// RemoveBegun deletes temporary files of the file at path that killed processes left. No process may be writing the
// file.
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
