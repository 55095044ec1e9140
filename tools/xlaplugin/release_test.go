package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/pjrt"
)

// pages answers by the end of the path.
type pages map[string][]byte

func (p pages) RoundTrip(request *http.Request) (*http.Response, error) {
	for end, body := range p {
		if strings.HasSuffix(request.URL.Path, end) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: request}, nil
		}
	}
	return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: request}, nil
}

// A release is installed if its file has the hash that was given, and else nothing is.
func TestRelease(t *testing.T) {
	asset := fmt.Sprintf("pjrt_cpu_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	const plugin = "pjrt_c_api_cpu_v1.2.3_plugin.so"
	archive := packed(t, plugin, "native code")
	sum := sha256.Sum256(archive)
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	http.DefaultTransport = pages{
		"/" + pjrt.DefaultCPUVersion: fmt.Appendf(nil,
			`{"assets": [{"browser_download_url": "https://example.com/download/%s"}]}`, asset),
		"/download/" + asset: archive,
	}

	folder := filepath.Join(t.TempDir(), "new", "folder")
	for _, bad := range []string{"", "abc", strings.Repeat("0", 64)} {
		if err := release(folder, bad); err == nil {
			t.Errorf("hash %q is accepted", bad)
		} else if len(bad) == 64 && !errors.Is(err, errHash) {
			t.Errorf("hash %q: error %v, want %v", bad, err, errHash)
		}
		if entries, _ := os.ReadDir(folder); len(entries) > 0 {
			t.Errorf("hash %q: %v was left", bad, entries)
		}
	}
	if err := release(folder, hex.EncodeToString(sum[:])); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != plugin {
		t.Fatalf("%v (%v), want %s alone", entries, err, plugin)
	}
	if content, err := os.ReadFile(filepath.Join(folder, plugin)); err != nil || string(content) != "native code" {
		t.Errorf("%q (%v)", content, err)
	}
}

func packed(t *testing.T, name, content string) []byte {
	t.Helper()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	files := tar.NewWriter(compressed)
	header := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(content))}
	if err := files.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(files, content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(files.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}
