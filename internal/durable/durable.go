// Package durable replaces files atomically: after a crash a file is either unchanged or complete.
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

// WriteFile is [Replace] with the given content. It creates the folder if necessary.
func WriteFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return Replace(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}, nil)
}

// Replace creates or replaces the file at path. It writes and syncs a temporary file in the same folder, lets check, if
// not nil, read it, renames it and syncs the folder. After an error the file at path is unchanged and no temporary file
// remains; the one exception, a folder that cannot be synced after the rename, is named in the error. A killed process
// may leave a temporary file, see [RemoveBegun].
func Replace(path string, write func(io.Writer) error, check func(temporary string) error) error {
	folder := filepath.Dir(path)
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(folder), renameio.WithPermissions(0o644),
		renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer file.Cleanup() // does nothing after a successful replacement
	if err := write(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if check != nil {
		if err := check(file.Name()); err != nil {
			return err
		}
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	if err := SyncFolder(folder); err != nil {
		return fmt.Errorf("file is in place, but may be lost in a power failure: %w", err)
	}
	return nil
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

// Beside returns the paths of files in path's folder that begin with path, or with a dot before its name as temporary
// files do, and are longer. Pattern characters in path stand for themselves.
func Beside(path string) (all []string, err error) {
	folder, name := filepath.Split(path)
	open, err := os.Open(filepath.Clean(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer open.Close()
	names, err := open.Readdirnames(-1) // faster than os.ReadDir, which sorts all of a large folder
	for _, each := range names {
		rest, found := strings.CutPrefix(each, name)
		if !found {
			rest, found = strings.CutPrefix(each, "."+name)
		}
		if found && rest != "" {
			all = append(all, folder+each)
		}
	}
	slices.Sort(all)
	return all, err
}

// RemoveBegun deletes temporary files of the file at path that killed processes left. No process may be writing the
// file.
func RemoveBegun(path string) error {
	all, err := Beside(path)
	for _, file := range all {
		number, begun := strings.CutPrefix(filepath.Base(file), "."+filepath.Base(path))
		if !begun || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if failed := os.Remove(file); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}
