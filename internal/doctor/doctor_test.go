package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// examine runs all checks with one folder for plugins, and returns them by name.
func examine(t *testing.T, plugins string, options Options) map[string]Check {
	t.Helper()
	t.Setenv(xla.BackendEnv, "")
	t.Setenv(xla.GoMLXBackendEnv, "")
	t.Setenv(pjrt.PJRTPluginPathsEnv, plugins)
	checks := map[string]Check{}
	for _, c := range Examine(t.Context(), options) {
		checks[c.Name] = c
		if c.Detail == "" || (c.State == OK) != (c.Fix == "") {
			t.Errorf("a check must say what was found, and what to try unless it is ok: %+v", c)
		}
	}
	return checks
}

func TestExamine(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain, absent := file("plain", ""), filepath.Join(folder, "absent")
	garbage := file("pjrt_c_api_cpu_plugin.so", "half a download")
	file("pjrt_c_api_cpu_plugin.so.lock", "")
	link := filepath.Join(folder, "link")
	if err := os.Symlink(absent, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, plugins string
		options       Options
		check         string
		state         State
		detail, fix   string
	}{
		{"pure Go", "", Options{Backend: "go"}, "backend", OK, "pure Go (Config.Backend asks for it); opened in", ""},
		{"no such plugin", "", Options{Backend: "xla:" + absent + ".so"}, "backend", Missing, "there is no such file",
			`such as "go"`},
		{"no such backend", "", Options{Backend: "abacus"}, "backend", Missing, "abacus", `such as "go"`},
		{"no such folder settles for Go", absent, Options{}, "backend", Warning, "pure Go (no XLA plugin",
			"make setup"},
		{"no such folder", absent, Options{}, "plugins", Warning, "none; looked in " + absent + " (no such file",
			"make setup"},
		{"garbage settles for Go", folder, Options{}, "backend", Warning, "pure Go (no XLA plugin",
			"not a shared library"},
		{"garbage is listed", folder, Options{Backend: "go"}, "plugins", OK, garbage + "; looked in " + folder + ";",
			""},
		{"results", "", Options{Backend: "go", Results: folder}, "results", OK, folder + " can be written", ""},
		{"results to be made", "", Options{Backend: "go", Results: absent + "/a/b"}, "results", OK, "a/b can be made",
			""},
		{"results below a file", "", Options{Backend: "go", Results: plain + "/a"}, "results", Missing, "not a",
			"can be written"},
		{"results in a file", "", Options{Backend: "go", Results: plain}, "results", Missing, "is not a folder",
			"can be written"},
		{"results by a broken link", "", Options{Backend: "go", Results: link}, "results", Missing, "links to",
			"can be written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := examine(t, c.plugins, c.options)[c.check]
			if got.State != c.state || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Fix, c.fix) {
				t.Errorf("got %+v, wanted %s with %q and %q", got, c.state, c.detail, c.fix)
			}
		})
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 4 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

func TestBackendAsInstalled(t *testing.T) {
	if c := checkBackend(""); c.State == Missing ||
		!strings.HasPrefix(c.Detail, xlatest.Backend(t).String()+"; opened in ") {
		t.Errorf("got %+v", c)
	}
}

func TestReadOnlyResults(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	if tryWrite(folder) == nil {
		t.Skip("this user can write to a read-only folder")
	}
	for _, results := range []string{folder, filepath.Join(folder, "below")} {
		if c := checkResults(results); c.State != Missing || c.Fix == "" {
			t.Errorf("%s: got %+v", results, c)
		}
	}
}

func TestSpaceAndMemory(t *testing.T) {
	defer func(before func(string) (uint64, error)) { freeSpace = before }(freeSpace)
	for _, c := range []struct {
		free uint64
		err  error
		want Check
	}{
		{3 * gib / 2, nil, Check{State: OK, Detail: "; 1.50 GiB free"}},
		{gib / 4, nil, Check{State: Warning, Detail: "; 0.25 GiB free"}},
		{0, errors.ErrUnsupported, Check{State: Warning, Detail: "; free space: unsupported"}},
	} {
		freeSpace = func(string) (uint64, error) { return c.free, c.err }
		if got := checkResults(t.TempDir()); got.State != c.want.State || !strings.Contains(got.Detail, c.want.Detail) {
			t.Errorf("got %+v, wanted %+v", got, c.want)
		}
	}
	meminfo := filepath.Join(t.TempDir(), "meminfo")
	if got := checkMemory(meminfo); got.State != Warning || !strings.Contains(got.Detail, "no such file") {
		t.Errorf("without the file: %+v", got)
	}
	if err := os.WriteFile(meminfo, []byte("MemTotal:  2097152 kB\nMemAvailable: 524288 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := checkMemory(meminfo); got.Detail != "2.0 GiB, of which 0.5 GiB available" {
		t.Errorf("got %+v", got)
	}
}

func TestCUDA(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "my_cuda.so")
	device, plugins := []string{"/dev/nvidia0"}, []string{plugin}
	none := errors.New("libcuda.so.1 cannot be loaded")
	for _, c := range []struct {
		name        string
		has         cuda
		state       State
		detail, fix string
	}{
		{"nothing", cuda{err: none}, OK, "none needed", ""},
		{"plugin alone", cuda{err: none, plugins: plugins}, Warning, "no driver (libcuda.so.1 cannot be loaded) and no " +
			"device", "driver 580"},
		{"tools alone", cuda{err: none, smi: "/bin/nvidia-smi"}, Warning, "/bin/nvidia-smi is there, but no device",
			"load NVIDIA's driver"},
		{"driver alone", cuda{driver: 13000, plugins: plugins}, Warning, "NVIDIA's driver is there, but no device", "GPU"},
		{"device alone", cuda{devices: device, err: none}, Warning, "no driver", "driver 580"},
		{"no plugin", cuda{devices: device, driver: 13000}, Warning, "no CUDA plugin", "make cuda"},
		{"old driver", cuda{devices: device, driver: 12080, plugins: plugins}, Warning, "supports CUDA 12.8, the plugin of " +
			"make cuda needs 13.0", "580"},
		{"all", cuda{devices: device, driver: 13020, plugins: plugins}, OK, "CUDA 13.2; " + plugin, ""},
	} {
		got := c.has.check()
		if got.State != c.state || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Fix, c.fix) ||
			(got.State == OK) != (got.Fix == "") {
			t.Errorf("%s: got %+v, wanted %s with %q and %q", c.name, got, c.state, c.detail, c.fix)
		}
	}
	if err := os.WriteFile(plugin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(pjrt.PJRTPluginPathsEnv, "")
	if found := findCUDA("xla:" + plugin + ",notf32").plugins; len(found) != 1 || found[0] != plugin {
		t.Errorf("the plugin that the setting names was not found: %q", found)
	}
	if c := CUDA(plugin); c.Name != "CUDA" || !strings.Contains(c.Detail, plugin) && c.State == OK {
		t.Errorf("got %+v", c)
	}
}

// Libraries made here stand for NVIDIA's driver.
func TestDriverVersion(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no C compiler")
	}
	folder := t.TempDir()
	for _, c := range []struct {
		name, code string
		want       int
		says       string
	}{
		{"good", "int cuDriverGetVersion(int *v) { *v = 13040; return 0; }", 13040, ""},
		{"fails", "int cuDriverGetVersion(int *v) { *v = 13040; return 3; }", 0, "does not say"},
		{"another", "int other;", 0, "does not say"},
		{"none", "", 0, "cannot be loaded"},
	} {
		library := filepath.Join(folder, c.name+".so")
		if c.code != "" {
			compile := exec.Command(compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library)
			compile.Stdin = strings.NewReader(c.code)
			if out, err := compile.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		got, err := driverVersion(library)
		if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %d and %v", c.name, got, err)
		}
	}
}

func TestCutOff(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stuck := run(ctx, "stuck", func() Check { cancel(errors.New("out of patience")); select {} })
	checks := append(Examine(ctx, Options{Results: t.TempDir()}), stuck)
	for _, c := range checks {
		if c.State != Warning || !strings.Contains(c.Detail, "out of patience") {
			t.Errorf("got %+v", c)
		}
	}
	if len(checks) < 7 {
		t.Errorf("got only %d checks", len(checks))
	}
	if c := run(t.Context(), "x", func() Check { panic("boom") }); c.State != Missing ||
		!strings.Contains(c.Detail, "boom") {
		t.Errorf("a panic became %+v", c)
	}
}

func TestWrite(t *testing.T) {
	checks := []Check{{"a", OK, "fine", ""}, {"longer", Warning, "two\nlines", "this"}, {"b", Missing, "none", "that"}}
	var text strings.Builder
	if err := Write(&text, checks); err != nil {
		t.Fatal(err)
	}
	want := `[ok]      a       fine
[warning] longer  two lines
                  try: this
[missing] b       none
                  try: that
`
	if text.String() != want {
		t.Errorf("got\n%swanted\n%s", &text, want)
	}
}

func TestVersions(t *testing.T) {
	if got := Versions(); !strings.HasPrefix(got["go"], "go1.") || got["pengcde-go"] == "" {
		t.Errorf("of this program: %v", got)
	}
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	gomlx := &debug.Module{Path: "github.com/gomlx/gomlx", Version: "v1.0.0", Replace: &debug.Module{Path: "/a/folder"}}
	ours := debug.Module{Path: "github.com/peng-cde/pengcde-go", Version: "v0.1.0"}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, `{}`},
		{&debug.BuildInfo{GoVersion: "go1", Main: ours, Deps: []*debug.Module{gomlx, {Path: "x", Version: "v1"}},
			Settings: settings},
			`{"go":"go1","pengcde-go":"v0.1.0","gomlx":"(devel)","revision":"abc with changes"}`},
		{&debug.BuildInfo{GoVersion: "go1", Main: debug.Module{Path: "x"}, Deps: []*debug.Module{&ours},
			Settings: settings},
			`{"go":"go1","pengcde-go":"v0.1.0"}`},
	} {
		want := map[string]string{}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if got := versionsOf(c.info); !maps.Equal(got, want) {
			t.Errorf("got %v, wanted %v", got, want)
		}
	}
}
