package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/moduleroot"
)

// suites writes an overlay for go build that makes the test files of packages part of a program: those in the package
// itself become files of it, external ones a package beside it, and a file of tools/gpukit lists their functions. It
// returns the path of the overlay.
func suites(folder string, packages []string) (string, error) {
	replace := map[string]string{}
	var imports, lists bytes.Buffer
	for i, name := range packages {
		files, err := filepath.Glob(filepath.Join(name, "*_test.go"))
		if err != nil {
			return "", err
		}
		var tests, benchmarks []string
		imported := map[string]bool{}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return "", err
			}
			alias, within := fmt.Sprintf("p%d", i), name
			if strings.HasSuffix(parsed.Name.Name, "_test") {
				alias, within = alias+"x", filepath.Join(name, "gpukittests")
			}
			at := filepath.Join(within, "gpukit_"+strings.TrimSuffix(filepath.Base(file), "_test.go")+".go")
			if replace[at], err = filepath.Abs(file); err != nil {
				return "", err
			}
			for _, function := range functions(parsed) {
				entry := fmt.Sprintf("{%q, %s.%s},", function, alias, function)
				if strings.HasPrefix(function, "Test") {
					tests = append(tests, entry)
				} else {
					benchmarks = append(benchmarks, entry)
				}
				if path := moduleroot.Module + "/" + filepath.ToSlash(within); !imported[path] {
					imported[path] = true
					fmt.Fprintf(&imports, "%s %q\n", alias, path)
				}
			}
		}
		fmt.Fprintf(&lists, "%q: {tests: []testing.InternalTest{\n%s\n}, benchmarks: []testing.InternalBenchmark{\n%s\n}},\n",
			name, strings.Join(tests, "\n"), strings.Join(benchmarks, "\n"))
	}
	const form = "package main\n\nimport (\n\"testing\"\n\n%s)\n\nfunc init() {\nsuites = map[string]suite{\n%s}\n}\n"
	text := fmt.Sprintf(form, imports.Bytes(), lists.Bytes())
	source, err := format.Source([]byte(text))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	listed, err := filepath.Abs(filepath.Join(folder, "suites.txt")) // in no package of ./...
	if err != nil {
		return "", err
	}
	replace["tools/gpukit/suites_listed.go"] = listed
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "overlay.json")
	return file, errors.Join(os.WriteFile(listed, source, 0o644), os.WriteFile(file, overlay, 0o644))
}

var testName = regexp.MustCompile(`^(Test|Benchmark)([^a-z]|$)`)

// functions lists the tests and benchmarks of a file. TestMain is not among them.
func functions(file *ast.File) (names []string) {
	for _, declared := range file.Decls {
		f, is := declared.(*ast.FuncDecl)
		if is && f.Recv == nil && testName.MatchString(f.Name.Name) && f.Name.Name != "TestMain" {
			names = append(names, f.Name.Name)
		}
	}
	slices.Sort(names)
	return names
}
