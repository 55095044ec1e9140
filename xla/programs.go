package xla

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// CacheEnv is the environment variable with the folder of compiled programs, or "off" for no cache. The default is the
// user's cache folder, ~/.cache/pengcde/programs on Linux (or in $XDG_CACHE_HOME). The folder may be deleted at any
// time. Its files are executed as machine code. If other users can write to the folder, nothing is stored or read, and
// [Open] prints a notice. Nothing is stored either if $XLA_FLAGS requests dumps or names a file.
const CacheEnv = "PENGCDE_CACHE"

// cacheFolder returns the folder of compiled programs, or "" for no cache.
func cacheFolder() string {
	folder := os.Getenv(CacheEnv)
	if folder == "off" {
		return ""
	}
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(user, "pengcde", "programs")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	return folder
}

// Extensions of the files of complete programs, and of incomplete ones.
const kept, begun = ".program", ".part"

// store keeps compiled programs as files, named by a digest of their source and compiler. Several processes and
// goroutines may use it at once. A file that cannot be read or written counts as missing.
type store struct {
	folder   string
	compiler string        // the compiler, its flags and the processor
	found    atomic.Int64  // number of programs found
	written  atomic.Uint64 // number of programs written
	held     sync.Map      // from programKey to the *sync.Mutex of each program being compiled
}

// hold waits until no other goroutine holds a program.
func (s *store) hold(k programKey) (release func()) {
	lock, _ := s.held.LoadOrStore(k, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	return lock.(*sync.Mutex).Unlock
}

// newStore returns the store for a plugin's file that is loaded with these flags, or nil if there is no cache. The
// error says why a folder is refused.
func newStore(file, flags string) (*store, error) {
	folder, on := cacheFolder(), processor()
	info, err := os.Stat(file)
	if folder == "" || on == "" || err != nil {
		return nil, nil
	}
	for flag := range strings.FieldsSeq(flags) {
		if !strings.HasPrefix(flag, "-") || strings.Contains(flag, "xla_dump") {
			return nil, nil
		}
	}
	if os.MkdirAll(folder, 0o700) != nil {
		return nil, nil
	}
	if err := onlyOursFolder(folder); err != nil {
		return nil, fmt.Errorf("compiled programs are neither kept nor read, since they are native code: %w; or name "+
			"another folder by $%s", err, CacheEnv)
	}
	const version = 2 // increment when a change of this package compiles programs differently
	compiler := fmt.Sprintln(version, file, info.Size(), info.ModTime().UnixNano(), flags, on)
	return &store{folder: folder, compiler: compiler}, nil
}

// processor returns the properties that compiled code depends on: model and features of the first CPU, and the number
// of CPUs. It returns "" if they are unknown.
func processor() string {
	content, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(content), "\n\n")
	known := []string{runtime.GOARCH, fmt.Sprint(runtime.NumCPU())}
	for line := range strings.Lines(first) {
		switch name, _, _ := strings.Cut(line, ":"); strings.TrimSpace(name) {
		case "model name", "flags", "Features", "CPU part":
			known = append(known, line)
		}
	}
	if len(known) == 2 {
		return ""
	}
	return strings.Join(known, "\n")
}

type programKey [sha256.Size]byte

// key returns the key of a program, from its format, code and options.
func (s *store) key(parts ...[]byte) (k programKey) {
	digest := sha256.New()
	for _, part := range append(parts, []byte(s.compiler)) {
		binary.Write(digest, binary.LittleEndian, int64(len(part)))
		digest.Write(part)
	}
	digest.Sum(k[:0])
	return k
}

func (s *store) file(k programKey) string {
	return filepath.Join(s.folder, hex.EncodeToString(k[:16])+kept)
}

// read returns a program that is complete and that no other user can have written, or nil.
func (s *store) read(k programKey) []byte {
	file := s.file(k)
	content, err := readOurs(file)
	if err != nil || len(content) < sha256.Size {
		return nil
	}
	sum, program := content[:sha256.Size], content[sha256.Size:]
	if got := sha256.Sum256(program); !bytes.Equal(sum, got[:]) {
		return nil
	}
	now := time.Now()
	os.Chtimes(file, now, now) // the least recently used are deleted first
	return program
}

// readOurs reads a file that is [onlyOurs]. It checks the opened file, not the path.
func readOurs(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := onlyOurs(file, info); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// write stores a program atomically.
func (s *store) write(k programKey, program []byte) {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return
	}
	f, err := os.CreateTemp(s.folder, "*"+begun)
	if err != nil {
		return
	}
	sum := sha256.Sum256(program)
	_, err = f.Write(append(sum[:], program...))
	if cmp.Or(err, f.Close()) != nil || os.Rename(f.Name(), s.file(k)) != nil {
		os.Remove(f.Name())
		return
	}
	if s.written.Add(1)%32 == 1 {
		s.shrink(mostKept)
	}
}

// mostKept is the approximate limit on the total bytes of stored programs.
const mostKept = 1 << 30

// shrink deletes the least recently used programs until the folder has at most the given number of bytes.
func (s *store) shrink(most int64) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if extension := filepath.Ext(entry.Name()); err == nil && (extension == kept || extension == begun) {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, file := range files {
		if most -= file.Size(); most < 0 {
			os.Remove(filepath.Join(s.folder, file.Name()))
		}
	}
}
