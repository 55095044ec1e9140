package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// mergedHostile merges an archive into a folder inside another, and checks that nothing is written anywhere.
func mergedHostile(t *testing.T, archive, says string) {
	t.Helper()
	root := t.TempDir()
	into := filepath.Join(root, "a", "b", "results")
	r, err := Merge(context.Background(), into, []string{archive})
	if err != nil || r.Added != 0 || len(r.Left) != 1 || !strings.Contains(r.Left[0], says) {
		t.Errorf("merged %+v, %v, want %q left", r, err, says)
	}
	if err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			t.Errorf("%s was written", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// The study name in an archive or a record is never used as a path.
func TestMergeNames(t *testing.T) {
	for _, study := range []string{"../../escaped", "..", ".", "a/b", `a\b`, "/tmp/escaped", ".hidden", ""} {
		record := &Record{Study: study, Identity: []byte("{}"), Generation: 1, Backend: "go",
			Facts: &Facts{Scores: map[string]float64{"test": 1}}}
		content := must(record.Encode())
		archive := filepath.Join(t.TempDir(), "hostile.jsonl.zst")
		must(WriteArchive(archive, study, map[string][]byte{record.Name(): content}))
		mergedHostile(t, archive, "want a name that is one part of a path")

		must(WriteArchive(archive, "waves", map[string][]byte{record.Name(): content})) // this head is harmless
		mergedHostile(t, archive, record.Name())
	}
}

// packedLines returns an archive of a line followed by many bytes.
func packedLines(t *testing.T, line string, more int) string {
	t.Helper()
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "large.jsonl.zst")
	content := pack.EncodeAll(seal(append([]byte(line), bytes.Repeat([]byte("x"), more)...)), nil)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Archives that decompress to too many bytes, or hold a record that is too long, are refused without allocating that
// memory.
func TestMergeLarge(t *testing.T) {
	many := packedLines(t, `{"Study":"waves","Names":["a"]}`+"\n", recordLimit+1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mergedHostile(t, many, `its run "a": more than 67108864 bytes of content, want no more, unless the environment `+
		"variable "+bounded.Env)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 6*recordLimit {
		t.Errorf("%d MiB were taken", taken>>20)
	}
	t.Setenv(bounded.Env, strconv.Itoa(2*recordLimit))
	mergedHostile(t, many, "(run a): ") // it is read, and is not a record
	t.Setenv(bounded.Env, "")

	runtime.ReadMemStats(&before)
	mergedHostile(t, zeros(t, archiveLimit+1), "more than 1073741824 bytes of content")
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > recordLimit {
		t.Errorf("%d MiB were taken", taken>>20)
	}
}

// zeros returns an archive of a checksum and count zeros.
func zeros(t *testing.T, count int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "zeros.jsonl.zst")
	file := must(os.Create(path))
	pack := must(zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest)))
	_, err := pack.Write([]byte(checksumBegin + strings.Repeat("0", 64) + checksumEnd))
	for block := make([]byte, 1<<20); err == nil && count > 0; count -= len(block) {
		_, err = pack.Write(block)
	}
	if err := errors.Join(err, pack.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// Records that the head lists and the archive lacks are reported.
func TestMergeEndsEarly(t *testing.T) {
	mergedHostile(t, packedLines(t, `{"Study":"waves","Names":["a","b"]}`, 0), `it ends before its run "a"`)
}

// An endless device is refused, as an archive and as a record.
func TestMergeDevice(t *testing.T) {
	const zero = "/dev/zero"
	if _, err := os.Stat(zero); err != nil {
		t.Skip("no " + zero)
	}
	mergedHostile(t, zero, "is a device, want a regular file")
	from := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(from, "waves"), 0o700),
		os.Symlink(zero, filepath.Join(from, "waves", "a-g1-go.json"))); err != nil {
		t.Fatal(err)
	}
	mergedHostile(t, from, "is a device, want a regular file")
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A record in a format that is no longer read, and an archive without a valid head, are refused.
func TestFormerFormats(t *testing.T) {
	former := seal([]byte(`{"Experiment":"waves","Identity":{},"Run":{}}`))
	if _, err := DecodeRecord(former); err == nil || !strings.Contains(err.Error(), "no longer read") {
		t.Errorf("a record of the former format: %v", err)
	}
	mergedHostile(t, packedLines(t, `{"Names":7}`+"\n", 0), "its first line is not an archive's")
}
