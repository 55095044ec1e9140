package main

import (
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
	"time"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// errHash is a download that is not the file that was asked for.
var errHash = errors.New("sha256 is another one")

// release installs the CPU plugin of go-xla's release for this machine into a folder. go-xla's own installer checks no
// hash of it, so it is not asked to.
func release(folder, sum string) error {
	if decoded, err := hex.DecodeString(sum); err != nil || len(decoded) != sha256.Size {
		return fmt.Errorf("%q is no sha256, want %d hexadecimal digits", sum, hex.EncodedLen(sha256.Size))
	}
	http.DefaultClient.Timeout = 10 * time.Minute // what go-xla asks with, too
	platform := runtime.GOOS + "_" + runtime.GOARCH
	url, err := installer.CPUGetDownloadURL(platform, pjrt.DefaultCPUVersion)
	if err != nil {
		return fmt.Errorf("go-xla's release %s for %s cannot be had: %w", pjrt.DefaultCPUVersion, platform, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	unpacked, err := os.MkdirTemp(folder, ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unpacked)
	archive := filepath.Join(unpacked, filepath.Base(url))
	if err := download(url, archive, sum); err != nil {
		return err
	}
	if _, err := installer.Untar(archive, unpacked); err != nil {
		return err
	}
	plugins, err := filepath.Glob(filepath.Join(unpacked, "pjrt_c_api_cpu_*_plugin.*"))
	if err != nil || len(plugins) != 1 {
		return fmt.Errorf("%s has %d files pjrt_c_api_cpu_*_plugin.*, want one (%v)", url, len(plugins), err)
	}
	return os.Rename(plugins[0], filepath.Join(folder, filepath.Base(plugins[0])))
}

// download writes a file that has this hash.
func download(url, file, sum string) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	digest := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, digest), response.Body)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(digest.Sum(nil)); !strings.EqualFold(got, sum) {
		return fmt.Errorf("%s: %w: %s, want %s", url, errHash, got, sum)
	}
	return nil
}
