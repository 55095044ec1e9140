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

// CacheEnv is the folder in which compiled programs are kept, or "off" to keep none; without it they are in the user's
// folder for what can be made again, ~/.cache/pengcde/programs on Linux (or in $XDG_CACHE_HOME). Deleting it is safe at
// any time. They are machine code that is run, so where other users can write to the folder nothing is kept or read, and
// [Open] says so. Nothing is kept either where $XLA_FLAGS ask for dumps or name a file.
const CacheEnv = "PENGCDE_CACHE"

// cacheFolder is "" where nothing is to be kept.
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

// Extensions of the files of programs, and of those that are being written.
const kept, begun = ".program", ".part"

// store keeps compiled programs as files, each by a digest of what it was compiled from and by. It serves several
// processes and goroutines at a time. What cannot be read or written is as if it were not there.
type store struct {
	folder   string
	compiler string        // what compiles, with which flags, and for which processor
	found    atomic.Int64  // programs that were there
	written  atomic.Uint64 // programs that were put there
	held     sync.Map      // from programKey to the *sync.Mutex of those that are being compiled
}

// hold waits until no other goroutine holds a program.
func (s *store) hold(k programKey) (release func()) {
	lock, _ := s.held.LoadOrStore(k, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	return lock.(*sync.Mutex).Unlock
}

// newStore returns the store for a plugin's file that is loaded with these flags; nil where no programs are kept. The
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
	const version = 2 // counts changes of this package that compile otherwise
	compiler := fmt.Sprintln(version, file, info.Size(), info.ModTime().UnixNano(), flags, on)
	return &store{folder: folder, compiler: compiler}, nil
}

// processor is what compiled code depends on: model and features of the first CPU, and how many there are; "" where they
// cannot be found out.
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

// read returns a program that is whole and that nobody else can have written, or nil.
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
	os.Chtimes(file, now, now) // the longest unused go first
	return program
}

// readOurs reads a file that is [onlyOurs], by what was opened.
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

// write keeps a program, in one step.
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

// mostKept bounds the bytes of programs that are kept, by and by.
const mostKept = 1 << 30

// shrink deletes what was not used for longest until the folder has no more than so many bytes.
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
