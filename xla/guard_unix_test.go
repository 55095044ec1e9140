//go:build unix

package xla

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	goxla "github.com/gomlx/go-xla/compute/xla"
)

// folderOf makes nested folders with these modes, whatever the umask.
func folderOf(t *testing.T, modes ...fs.FileMode) string {
	t.Helper()
	folder := t.TempDir()
	for _, mode := range modes {
		folder = filepath.Join(folder, "in")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		chmod(t, folder, mode)
	}
	return folder
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// give makes a file or folder belong to another user, which only root can do.
func give(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give a file away")
	}
	if err := os.Lchown(path, 12345, -1); err != nil {
		t.Skip(err)
	}
}

// wantRefused checks for an error that contains a text, or for no error if text is "".
func wantRefused(t *testing.T, err error, text string) {
	t.Helper()
	if text == "" && err != nil || text != "" && (err == nil || !strings.Contains(err.Error(), text)) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

func TestFolderOfProgramsIsOurs(t *testing.T) {
	for _, c := range []struct {
		name  string
		modes []fs.FileMode
		want  string
	}{
		{"ours", []fs.FileMode{0o755, 0o700}, ""},
		{"read by others", []fs.FileMode{0o755, 0o755}, ""},
		{"below a group's", []fs.FileMode{0o775, 0o700}, ""},
		{"below one like /tmp", []fs.FileMode{0o777 | fs.ModeSticky, 0o700}, ""},
		{"written by a group", []fs.FileMode{0o755, 0o770}, "chmod go-w"},
		{"written by everybody", []fs.FileMode{0o755, 0o707}, "chmod go-w"},
		{"like /tmp", []fs.FileMode{0o755, 0o777 | fs.ModeSticky}, "chmod go-w"},
		{"below everybody's", []fs.FileMode{0o777, 0o755, 0o700}, "everybody can write"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := folderOf(t, c.modes...)
			wantRefused(t, onlyOursFolder(folder), c.want)
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(folder, link); err != nil {
				t.Fatal(err)
			}
			wantRefused(t, onlyOursFolder(link), c.want)
			t.Setenv(CacheEnv, folder)
			file := write(t, filepath.Join(t.TempDir(), "plugin.so"), "plugin")
			s, err := newStore(file, "")
			if processor() == "" {
				return
			}
			wantRefused(t, err, c.want)
			if (s == nil) != (c.want != "") {
				t.Errorf("store %v, want one only where nobody else can write", s)
			}
		})
	}
	t.Run("another user's", func(t *testing.T) {
		folder := folderOf(t, 0o755)
		give(t, folder)
		wantRefused(t, onlyOursFolder(folder), "belongs to user 12345")
	})
}

// A program that other users could have written is not run.
func TestProgramsOfOthersAreNotRead(t *testing.T) {
	s := &store{folder: t.TempDir()}
	k := s.key([]byte("mlir"))
	s.write(k, []byte("machine code"))
	if got := s.read(k); string(got) != "machine code" {
		t.Fatalf("read %q, want what was written", got)
	}
	for _, mode := range []fs.FileMode{0o620, 0o602} {
		chmod(t, s.file(k), mode)
		if got := s.read(k); got != nil {
			t.Errorf("mode %v: read %q, want nothing", mode, got)
		}
	}
	chmod(t, s.file(k), 0o600)
	give(t, s.file(k))
	if got := s.read(k); got != nil {
		t.Errorf("read %q of another user, want nothing", got)
	}
}

func TestPluginThatEverybodyCanWrite(t *testing.T) {
	for _, c := range []struct {
		name         string
		file, folder fs.FileMode
		given        bool
		want         string
	}{
		{"ours", 0o755, 0o755, false, ""},
		{"a group's", 0o775, 0o775, false, ""},
		{"installed by another", 0o755, 0o755, true, ""},
		{"ours in one like /tmp", 0o644, 0o777 | fs.ModeSticky, false, ""},
		{"everybody's file", 0o646, 0o755, false, "everybody can write to it"},
		{"everybody's folder", 0o644, 0o777, false, "everybody can write to"},
		{"another's in one like /tmp", 0o644, 0o777 | fs.ModeSticky, true, "user 12345 put it into"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := alone(t)
			file := library(t, filepath.Join(folder, "pjrt_c_api_cpu_plugin.so"), "void *GetPjrtApi(void) { return 0; }")
			chmod(t, file, c.file)
			if c.given {
				give(t, file)
			}
			chmod(t, folder, c.folder)
			link := filepath.Join(t.TempDir(), "cpu.so")
			if err := os.Symlink(file, link); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{file, link} {
				wantRefused(t, checkPlugin(path), c.want)
			}
		})
	}
}

// No package that this package imports downloads plugins.
func TestInstallerIsNotLinked(t *testing.T) {
	if err := goxla.AutoInstall(); !errors.Is(err, goxla.ErrNoAutoInstaller) {
		t.Errorf("error %v, want %v", err, goxla.ErrNoAutoInstaller)
	}
}
