package starter

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// ErrFolder is wrapped if a folder cannot be used for notebooks, for example because it has the go.mod of another
// module.
var ErrFolder = errors.New("folder cannot be used")

// Folder is the result of [Make].
type Folder struct {
	Path, Checkout string   // absolute
	Made, Kept     []string // files that are new, and those that were there and stayed as they were
}

// Notebook is the file of the first notebook.
const Notebook = "first_forecast.ipynb"

var (
	//go:embed files/first_forecast.ipynb
	notebook []byte
	//go:embed files/deps/deps.go
	deps []byte
	//go:embed files/README.md
	readme string
)

// copied are the files that are taken as they are, with the names they have in a checkout.
var copied = map[string]string{
	"go.sum":                    "go.sum",
	"data/england.txt":          "notebooks/data/england.txt",
	"data/england_cases.csv.gz": "notebooks/data/england_cases.csv.gz",
	"data/england_flows.csv.gz": "notebooks/data/england_flows.csv.gz",
}

// Make makes path a folder for notebooks: it adds go.mod, go.sum, deps/deps.go, README.md and the notebook with its
// data where they are missing, for use with a checkout (see [moduleroot.Find]). It never changes an existing file;
// called again it completes a folder. If path cannot be used it writes nothing and returns an error that wraps
// [ErrFolder] or [moduleroot.ErrCheckout].
func Make(path, checkout string) (Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Folder{}, fmt.Errorf("starter: %w", err)
	}
	checkout, err = moduleroot.Find(checkout)
	if err != nil {
		return Folder{}, fmt.Errorf("starter: %w", err)
	}
	f := Folder{Path: path, Checkout: checkout}
	if err := f.check(); err != nil {
		return Folder{}, fmt.Errorf("starter: %s: %w: %w", path, ErrFolder, err)
	}
	content, err := f.content()
	if err != nil {
		return Folder{}, err
	}
	for _, file := range slices.Sorted(maps.Keys(content)) {
		at := filepath.Join(path, filepath.FromSlash(file))
		if _, err := os.Lstat(at); err == nil {
			f.Kept = append(f.Kept, file)
			continue
		}
		if err := durable.WriteFile(at, content[file]); err != nil {
			return f, fmt.Errorf("starter: %w", err)
		}
		f.Made = append(f.Made, file)
	}
	return f, nil
}

// check returns an error if the folder cannot be used. If its go.mod names another checkout, the folder keeps that
// checkout.
func (f *Folder) check() error {
	if strings.ContainsRune(f.Path, ',') {
		return errors.New("gonb takes a comma in a path for the end of it; choose another name")
	}
	if info, err := os.Stat(f.Path); err == nil && !info.IsDir() {
		return errors.New("this is a file; name a folder, which may be new")
	}
	file := filepath.Join(f.Path, "go.mod")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return err
	}
	if mod.Module != nil && mod.Module.Mod.Path == moduleroot.Module {
		return errors.New("this is the checkout itself, with notebooks in its folder notebooks; name another folder")
	}
	if !slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == moduleroot.Module }) {
		return fmt.Errorf("its go.mod does not require %s; name another folder, or run in it: go mod edit "+
			"-require=%[1]s@%s -replace=%[1]s=%s && go mod tidy", moduleroot.Module, version, Quote(f.Checkout))
	}
	for _, r := range mod.Replace {
		if r.Old.Path != moduleroot.Module || !modfile.IsDirectoryPath(r.New.Path) {
			continue
		}
		checkout := r.New.Path
		if !filepath.IsAbs(checkout) {
			checkout = filepath.Join(f.Path, checkout)
		}
		if checkout, err = moduleroot.Find(checkout); err != nil {
			return fmt.Errorf("its go.mod names %s, where no checkout is (any more); run in it: go mod edit "+
				"-replace=%s=%s", r.New.Path, moduleroot.Module, Quote(f.Checkout))
		}
		f.Checkout = checkout
	}
	return nil
}

// content are the files of a new folder.
func (f *Folder) content() (map[string][]byte, error) {
	mod, err := f.goMod()
	if err != nil {
		return nil, err
	}
	text := strings.NewReplacer("NAME", filepath.Base(f.Path), "FOLDER", Quote(f.Path), "CHECKOUT", Quote(f.Checkout))
	content := map[string][]byte{"go.mod": mod, "deps/deps.go": deps, Notebook: notebook,
		"README.md": []byte(text.Replace(readme))}
	for file, from := range copied {
		if content[file], err = os.ReadFile(filepath.Join(f.Checkout, filepath.FromSlash(from))); err != nil {
			return nil, fmt.Errorf("starter: %w: %w", moduleroot.ErrCheckout, err)
		}
	}
	return content, nil
}

// Quote puts a path into single quotes where a shell needs them.
func Quote(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
