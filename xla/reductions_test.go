package xla

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A plugin is opened with the flag where it knows it and the user has not set it, and the environment is then as it was.
func TestReductionsAreXLAs(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const flag, ours = "--" + ynnFlag + "=", "--" + ynnFlag + "=LIBRARY_FUSION_TYPE_DOT"
	across := append(bytes.Repeat([]byte{1}, 1<<20-5), ynnFlag...) // over the end of a block
	knows, other := file("knows", across), file("other", across[:len(across)-1])
	failure := errors.New("not a plugin")
	for name, c := range map[string]struct{ plugin, before, during string }{
		"no flags":           {knows, "", ours},
		"another flag":       {knows, "--xla_dump_to=/x", "--xla_dump_to=/x " + ours},
		"the user's own":     {knows, flag + "LIBRARY_FUSION_TYPE_REDUCE", flag + "LIBRARY_FUSION_TYPE_REDUCE"},
		"a plugin without":   {other, "--xla_dump_to=/x", "--xla_dump_to=/x"},
		"a plugin not there": {filepath.Join(folder, "none"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(flagsEnv, c.before)
			if c.before == "" {
				os.Unsetenv(flagsEnv)
			}
			var during string
			err := withReductions(c.plugin, func() error {
				during = os.Getenv(flagsEnv)
				return failure
			})
			if err != failure || during != c.during {
				t.Errorf("opened with %q and %v, want %q", during, err, c.during)
			}
			if after, set := os.LookupEnv(flagsEnv); after != c.before || set != (c.before != "") {
				t.Errorf("%q is left, want %q", after, c.before)
			}
		})
	}
}
