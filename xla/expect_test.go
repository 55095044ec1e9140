package xla

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// Open opens the backend that Expect names.
func TestExpectIsWhatOpens(t *testing.T) {
	plugin := installedCPU(t)
	folder := filepath.Dir(plugin)
	for _, spec := range []string{"", "go", "xla", "xla:cpu", "xla:cpu,notf32", "xla:" + plugin} {
		alone(t)
		t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", folder)
		t.Setenv(BackendEnv, spec)
		want, err := Expect(Config{})
		if err != nil {
			t.Fatal(err)
		}
		backend, err := Open(Config{Notices: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		if got := backend.Kind(); got != want {
			t.Errorf("%q: %q opens, %q was expected", spec, got, want)
		}
		backend.Close()
	}
}

func TestExpectWithoutPlugins(t *testing.T) {
	folder := alone(t)
	if kind, err := Expect(Config{}); err != nil || kind != "go" {
		t.Errorf("without plugins: %q, %v, want go", kind, err)
	}
	write(t, filepath.Join(folder, "pjrt_c_api_cpu_plugin"+libraryExtension()), "no library")
	if kind, err := Expect(Config{}); err != nil || kind != "go" {
		t.Errorf("with a file that is no plugin: %q, %v, want go", kind, err)
	}
	if _, err := Expect(Config{Backend: "abacus"}); !errors.Is(err, ErrSetting) {
		t.Errorf("a backend that does not exist: %v, want ErrSetting", err)
	}
}
