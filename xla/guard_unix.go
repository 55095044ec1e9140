//go:build unix

package xla

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// onlyOurs returns an error for a file or folder that belongs to a user other than this one or root, or that others can
// write to.
func onlyOurs(path string, info fs.FileInfo) error {
	if owner := ownerOf(info); owner != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, this process runs as %d", path, owner, os.Geteuid())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("other users can write to %s (mode %04o); chmod go-w it after a look at what it holds", path,
			info.Mode().Perm())
	}
	return nil
}

// onlyOursFolder returns an error for a folder that is not onlyOurs, or that lies below a folder in which everybody can
// replace it.
func onlyOursFolder(folder string) error {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	if err := onlyOurs(folder, info); err != nil {
		return err
	}
	for up := filepath.Dir(folder); up != folder; folder, up = up, filepath.Dir(up) {
		if err := nobodyExchanges(up); err != nil {
			return err
		}
	}
	return nil
}

// nobodyExchanges returns an error for a folder in which everybody can replace another user's file.
func nobodyExchanges(folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("everybody can write to %s (mode %04o); chmod o-w it after a look at what it holds", folder,
			info.Mode().Perm())
	}
	return nil
}

// nobodyElses returns an error for a file that everybody can write to or replace, or that another user left in a
// world-writable folder. Groups may share plugins, and another user may have installed them.
func nobodyElses(file string) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("everybody can write to it (mode %04o); fetch it again, or chmod o-w it if you know that it is "+
			"whole", info.Mode().Perm())
	}
	for _, path := range []string{file, target} {
		folder := filepath.Dir(path)
		if err := nobodyExchanges(folder); err != nil {
			return err
		}
		within, err := os.Stat(folder)
		if err != nil {
			return err
		}
		entry, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if owner := ownerOf(entry); within.Mode().Perm()&0o002 != 0 && owner != 0 && owner != os.Geteuid() {
			return fmt.Errorf("user %d put it into %s, where everybody may put files; fetch it yourself", owner, folder)
		}
	}
	return nil
}

func ownerOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
