package starter

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// all are the files of a folder.
var all = []string{"README.md", "data/england.txt", "data/england_cases.csv.gz", "data/england_flows.csv.gz",
	"deps/deps.go", "first_forecast.ipynb", "go.mod", "go.sum"}

func made(t *testing.T, folder string) Folder {
	t.Helper()
	f, err := Make(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(t *testing.T, folder, file, text string) {
	t.Helper()
	file = filepath.Join(folder, file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// content are the files of a folder by name.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, folder+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestNothingIsOverwritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a new", "study")
	if f := made(t, folder); !slices.Equal(f.Made, all) || f.Kept != nil {
		t.Errorf("a new folder: made %q, kept %q", f.Made, f.Kept)
	}
	write(t, folder, Notebook, "mine")
	write(t, folder, "deps/deps.go", "package mine")
	write(t, folder, "thesis.ipynb", "mine, too")
	if err := os.Remove(filepath.Join(folder, "README.md")); err != nil {
		t.Fatal(err)
	}
	before := content(t, folder)
	if f := made(t, folder); !slices.Equal(f.Made, all[:1]) || !slices.Equal(f.Kept, all[1:]) {
		t.Errorf("again: made %q, kept %q", f.Made, f.Kept)
	}
	after := content(t, folder)
	delete(after, "README.md")
	if !maps.Equal(before, after) {
		t.Errorf("files of the user changed:\n%v\n%v", before, after)
	}
}

func TestRefused(t *testing.T) {
	checkout, err := moduleroot.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write(t, folder, "file", "")
	write(t, folder, "other/go.mod", "module other\n")
	write(t, folder, "damaged/go.mod", "module\n")
	write(t, folder, "moved/go.mod", "module x\nrequire "+moduleroot.Module+" v0.0.0\nreplace "+moduleroot.Module+
		" => /no/such/place\n")
	write(t, folder, "notcheckout/go.mod", "module "+moduleroot.Module+"\n")
	before := content(t, folder)
	for _, c := range []struct {
		name, folder, checkout string
		is                     error
		says                   string
	}{
		{"a file", "file", checkout, ErrFolder, "this is a file"},
		{"another module", "other", checkout, ErrFolder, "go mod edit -require=" + moduleroot.Module + "@v0.0.0 -replace="},
		{"a damaged go.mod", "damaged", checkout, ErrFolder, "usage: module"},
		{"a checkout that has moved", "moved", checkout, ErrFolder,
			"go mod edit -replace=" + moduleroot.Module + "=" + Quote(checkout)},
		{"a comma", "a,b", checkout, ErrFolder, "comma"},
		{"no checkout", "new", folder, moduleroot.ErrCheckout, folder},
		{"a checkout without a version of Go", "new", folder + "/notcheckout", moduleroot.ErrCheckout,
			"no line with the version of Go"},
	} {
		_, err := Make(filepath.Join(folder, c.folder), c.checkout)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, wanted %v with %q", c.name, err, c.is, c.says)
		}
	}
	if _, err := Make(checkout, checkout); !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), "itself") {
		t.Errorf("the checkout: got %v", err)
	}
	if after := content(t, folder); !maps.Equal(before, after) {
		t.Errorf("something was written: %v", slices.Collect(maps.Keys(after)))
	}
}

// A folder that names another checkout stays with it.
func TestOtherCheckout(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "theirs/go.mod", "module "+moduleroot.Module+"\ngo 1.26.5\n")
	for _, file := range copied {
		write(t, folder, "theirs/"+file, "")
	}
	write(t, folder, "mine/go.mod", "module x\nrequire "+moduleroot.Module+" v0.0.0\nreplace "+moduleroot.Module+
		" => ../theirs\n")
	if f := made(t, filepath.Join(folder, "mine")); f.Checkout != filepath.Join(folder, "theirs") {
		t.Errorf("got %s", f.Checkout)
	}
}

// The folder builds without a network, before and after "go mod tidy", which keeps all that the public packages need.
// Tidying itself looks at the modules of other modules' tests, which a checkout does not fetch.
func TestBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all packages")
	}
	folder := filepath.Join(t.TempDir(), "with space")
	f := made(t, folder)
	public := []string{"build"}
	for _, name := range []string{"bench", "datasets/...", "dyngraph", "experiments/...", "figures", "forecast", "notebook",
		"pengcde/...", "xla"} {
		public = append(public, moduleroot.Module+"/"+name)
	}
	try := func(args []string, env ...string) (string, error) {
		c := exec.Command("go", args...)
		c.Dir, c.Env = folder, append(append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off"), env...)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := try(args, "GOPROXY=off"); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("build", "./...")
	run(public...)
	tidy := []string{"mod", "tidy"}
	if out, err := try(tidy, "GOPROXY=off"); strings.Contains(out, "lookup disabled by GOPROXY=off") {
		if out, err = try(tidy); err != nil {
			t.Skipf("go mod tidy needs modules that this machine does not have and cannot fetch: %.300s", out)
		}
	} else if err != nil {
		t.Fatalf("go mod tidy: %v\n%s", err, out)
	}
	run("build", "./...")
	run(public...)
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Replace) != 1 || mod.Replace[0].New.Path != f.Checkout {
		t.Errorf("go mod tidy left\n%s", text)
	}
}

func TestModulePath(t *testing.T) {
	for folder, want := range map[string]string{"/a/my study": "example/my-study", "/a/Übung 2": "example/bung-2",
		"/": "example/notebooks", "/a/fmt": "example/fmt"} {
		if got := modulePath(folder); got != want {
			t.Errorf("%s: got %s, wanted %s", folder, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, path := range []string{"/a/b_c-1.2", "/with space", "it's", "", "$HOME", "a;b", "~"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(path)).Output()
		if err != nil || string(out) != path {
			t.Errorf("%q as %s is %q to a shell, error %v", path, Quote(path), out, err)
		}
	}
}
