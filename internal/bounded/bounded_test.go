package bounded_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/peng-cde/pengcde-go/internal/bounded"
)

// packed is the text in each packing.
func packed(t *testing.T, text string) map[bounded.Packing][]byte {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[bounded.Packing][]byte{bounded.Plain: []byte(text), bounded.Gzip: z.Bytes(),
		bounded.Zstd: e.EncodeAll([]byte(text), nil)}
}

func TestReadAll(t *testing.T) {
	const text = "time,source\n1,a\n"
	exact := bounded.Limit{Bytes: int64(len(text))}
	t.Setenv(bounded.Env, strconv.FormatInt(math.MaxInt64, 10))
	for _, most := range []bounded.Limit{{}, {Bytes: math.MaxInt64}} {
		got, err := bounded.ReadAll(strings.NewReader(text), bounded.Plain, most)
		if err != nil || string(got) != text {
			t.Errorf("without a limit: %q, %v", got, err)
		}
	}
	below := bounded.Limit{Bytes: int64(len(text)) - 1, Option: "Config.Max"}
	for packing, content := range packed(t, text) {
		for _, how := range []bounded.Packing{bounded.Detect, packing} {
			got, err := bounded.ReadAll(bytes.NewReader(content), how, exact)
			if err != nil || string(got) != text {
				t.Errorf("packing %d read as %d: %q, %v", packing, how, got, err)
			}
			got, err = bounded.ReadAll(iotest.OneByteReader(bytes.NewReader(content)), how, below)
			var large *bounded.TooLargeError
			if !errors.Is(err, bounded.ErrTooLarge) || !errors.As(err, &large) || large.Limit != below.Bytes ||
				len(got) > len(text)-1 {
				t.Errorf("packing %d read as %d, a byte too long: %q, %v", packing, how, got, err)
			} else if says := err.Error(); !strings.Contains(says, "Config.Max") || !strings.Contains(says, bounded.Env) ||
				!strings.Contains(says, "more than 15 bytes") {
				t.Errorf("the error %q does not name the limit and both options", says)
			}
			var damaged *bounded.DamagedError
			_, err = bounded.ReadAll(bytes.NewReader(content[:len(content)-3]), how, exact)
			if packing == bounded.Plain != (err == nil) || err != nil && !errors.As(err, &damaged) {
				t.Errorf("packing %d read as %d, cut: %v", packing, how, err)
			}
			disk := &fs.PathError{Op: "read", Path: "x", Err: errors.New("disk on fire")}
			_, err = bounded.ReadAll(io.MultiReader(bytes.NewReader(content[:len(content)-3]), iotest.ErrReader(disk)), how,
				exact)
			if !errors.Is(err, disk) || errors.As(err, &damaged) {
				t.Errorf("packing %d read as %d: %v, want the error of the system", packing, how, err)
			}
		}
	}
}

// A frame that asks for a large window is refused before its memory is taken.
func TestWindow(t *testing.T) {
	const frame = "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00" // a window of 2^30 bytes, then an empty last block
	var damaged *bounded.DamagedError
	if _, err := bounded.ReadAll(strings.NewReader(frame), bounded.Zstd, bounded.Limit{Default: 1 << 40}); !errors.As(err,
		&damaged) || !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("%v, want that the window is too large", err)
	}
}

func TestEnv(t *testing.T) {
	read := func(limit bounded.Limit) error {
		_, err := bounded.ReadAll(strings.NewReader("12345"), bounded.Plain, limit)
		return err
	}
	for setting, want := range map[string]struct {
		limit bounded.Limit
		says  string
	}{
		"":          {bounded.Limit{Default: 4}, "more than 4 bytes"},
		"5":         {bounded.Limit{Default: 4}, ""},
		"3":         {bounded.Limit{Default: 4}, "more than 4 bytes"}, // which a lower one does not change
		"6":         {bounded.Limit{Bytes: 2}, "more than 2 bytes"},
		"much":      {bounded.Limit{Default: 7}, `the environment variable PENGCDE_MAX_BYTES is "much"`},
		"-1":        {bounded.Limit{Default: 7}, "want a number of bytes such as 7"},
		"123456789": {bounded.Limit{Bytes: -1, Option: "Config.Max"}, "Config.Max is -1"},
	} {
		t.Setenv(bounded.Env, setting)
		err := read(want.limit)
		if want.says == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s=%s, %+v: %v, want %q", bounded.Env, setting, want.limit, err, want.says)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := bounded.ReadFile(path, bounded.Limit{Bytes: 5}); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := bounded.ReadFile(path, bounded.Limit{Bytes: 4}); !errors.Is(err, bounded.ErrTooLarge) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("%v, want that the file is too large", err)
	}
	if _, err := bounded.ReadFile(path+"none", bounded.Limit{Bytes: 4}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that there is none", err)
	}
	var kind *bounded.KindError
	if _, err := bounded.ReadFile(filepath.Dir(path), bounded.Limit{Bytes: 4}); !errors.As(err, &kind) ||
		kind.Kind() != "a directory" {
		t.Errorf("%v, want that it is a directory", err)
	}
}
