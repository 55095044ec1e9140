package tgb

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Config selects the data set and its files.
type Config struct {
	// Name is the name of the data set, with which the names of its files begin: tgbn-trade, tgbn-genre, tgbn-reddit,
	// tgbn-token, agtpa-trade, or your own name.
	Name string
	// Path is the folder with the files, the folder above it, or the zip as published.
	Path string
	// Files, if set, replaces Path.
	Files fs.FS
	// Format is the name of the data set in whose format files of another name are written.
	Format string
	// Classes is the number of classes of files other than the published ones; 0 means the number of the format.
	Classes int
	// Late is the largest allowed decrease of time from one event to the next, in the unit of the times. A late event
	// gets the time of the event before it, and File.Late counts it. TGB does not check: times in files written in
	// local time go back an hour when summer time begins.
	Late float64
	// MaxBytes bounds the bytes of each file, counted after unpacking. 0 means 16 GiB, or more where the
	// environment variable PENGCDE_MAX_BYTES says so. More are an error that wraps [dyngraph.ErrTooLarge].
	MaxBytes int64
	// Progress, if set, is called at intervals while a file is read.
	Progress func(Progress)
}

// Progress tells how much of a file has been read.
type Progress struct {
	File string
	Rows int
	// Read and Size are bytes: of the file in the folder or, unpacked, in the zip.
	Read, Size int64
}

// Data holds a data set, and the two files that it was read from.
type Data struct {
	*affinity.Data
	EdgeFile, LabelFile File
}

// File describes a file that was read.
type File struct {
	Path string // after the folder or zip
	Rows int    // without the first line
	Late int    // events that were earlier than the one before, see Config.Late
	// SHA256 is the SHA-256 of the unpacked content, in hexadecimal.
	SHA256 string
}

// Open reads the files of a data set once, checks them, and keeps the names of nodes and the times of events. It does
// not keep the events, which are read again by each iteration. Errors about files are an [*Error].
func Open(ctx context.Context, c Config) (*Data, error) {
	f, err := c.format()
	if err != nil {
		return nil, err
	}
	s := &source{config: c, format: f, edges: file{suffix: "_edgelist.csv"}, labels: file{suffix: "_node_labels.csv"}}
	if err := s.locate(); err != nil {
		return nil, err
	}
	s.first = true
	data, err := affinity.New(ctx, c.Name, f.step(), s)
	if err != nil {
		return nil, err
	}
	s.first = false
	for i, one := range []File{s.edges.File, s.labels.File} {
		if want := known[c.Name][i]; want != "" && one.SHA256 != want {
			return nil, &Error{Path: one.Path, Found: "content with sha256 " + one.SHA256, Wanted: want +
				", the sha256 of the published file: fetch it again, or give it another Config.Name"}
		}
	}
	return &Data{data, s.edges.File, s.labels.File}, nil
}

// file is one of the two of a data set.
type file struct {
	suffix string
	name   string // in the folder or zip
	File
}

// locate finds both files.
func (s *source) locate() error {
	c := &s.config
	if c.Files == nil && c.Path == "" {
		return invalid("no Config.Path, want %s", s.wanted())
	}
	if c.Files == nil {
		info, err := os.Stat(c.Path)
		if err != nil {
			return unreadable(c.Path, 0, err, s.wanted())
		}
		if s.zip = !info.IsDir(); s.zip && !info.Mode().IsRegular() {
			return unreadable(c.Path, 0, &bounded.KindError{Path: c.Path, Mode: info.Mode()}, s.wanted())
		}
		if archive := filepath.Join(c.Path, c.Name+".zip"); info.IsDir() {
			_, missing := find(os.DirFS(c.Path), c.Name+s.edges.suffix)
			if info, err := os.Stat(archive); missing != nil && err == nil && info.Mode().IsRegular() {
				c.Path, s.zip = archive, true
			}
		}
	}
	folder, done, err := s.folder()
	if err != nil {
		return err
	}
	defer done()
	for _, one := range []*file{&s.edges, &s.labels} {
		name := c.Name + one.suffix
		if one.name, err = find(folder, name); err != nil {
			wanted := fmt.Sprintf("both files of the data set %s, or %s.zip: nothing is fetched from the network", c.Name,
				c.Name)
			if _, own := formats[c.Name]; own {
				wanted += "; py-tgb 2.3.0 fetches " + archives + c.Name + ".zip"
			}
			return &Error{Path: c.Path, Found: fmt.Sprintf("no %s and no %s.gz, neither there nor one folder below", name,
				name), Wanted: wanted, Err: err}
		}
		one.Path = filepath.Join(c.Path, filepath.FromSlash(one.name))
	}
	return nil
}

// archives is where TGB's archives are since July 2026, tgb/utils/info.py of py-tgb 2.3.0.
const archives = "https://object-arbutus.alliancecan.ca/swift/v1/14c95234f6cd4a21a47deafe20cce2a7/tgb/"

// maxBytes is Config.MaxBytes by default.
const maxBytes = 16 << 30

// find looks for a file, plain or compressed by gzip, in a folder and in those in it.
func find(folder fs.FS, name string) (string, error) {
	for _, pattern := range []string{name, name + ".gz", "*/" + name, "*/" + name + ".gz"} {
		if found, err := fs.Glob(folder, pattern); err != nil {
			return "", err
		} else if len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fs.ErrNotExist
}

// folder opens the folder or zip with the files. It is opened again for each reading, so that nothing stays open in
// between.
func (s *source) folder() (fs.FS, func(), error) {
	switch {
	case s.config.Files != nil:
		return s.config.Files, func() {}, nil
	case !s.zip:
		return os.DirFS(s.config.Path), func() {}, nil
	}
	z, err := zip.OpenReader(s.config.Path)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, &Error{Path: s.config.Path,
			Found:  "no list of files at the end: the zip is cut short, or it is none",
			Wanted: s.wanted() + ": fetch it again"}
	}
	if err != nil {
		return nil, nil, unreadable(s.config.Path, 0, err, s.wanted())
	}
	return z, func() { z.Close() }, nil
}

func (s *source) wanted() string {
	return "the folder with the files of " + s.config.Name + ", or " + s.config.Name + ".zip"
}

// open opens a file for reading, unpacked where it is compressed by gzip.
func (s *source) open(one *file) (io.Reader, *counter, func(), error) {
	folder, done, err := s.folder()
	if err != nil {
		return nil, nil, nil, err
	}
	info, err := fs.Stat(folder, one.name)
	if err == nil && !info.Mode().IsRegular() { // to open a pipe waits
		err = &bounded.KindError{Path: one.Path, Mode: info.Mode()}
	}
	var opened fs.File
	if err == nil {
		opened, err = folder.Open(one.name)
	}
	if err != nil {
		done()
		return nil, nil, nil, unreadable(one.Path, 0, err, s.wanted())
	}
	count := &counter{in: opened, size: info.Size()}
	in, err := bounded.NewReader(count, bounded.Detect, bounded.Limit{Bytes: s.config.MaxBytes, Default: maxBytes,
		Option: "tgb.Config.MaxBytes"})
	if err != nil {
		opened.Close()
		done()
		return nil, nil, nil, unreadable(one.Path, 1, err, "")
	}
	return in, count, func() { in.Close(); opened.Close(); done() }, nil
}

// counter counts bytes.
type counter struct {
	in         io.Reader
	read, size int64
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.in.Read(into)
	c.read += int64(n)
	return n, err
}

// unreadable is an error of the system, or of the code that unpacks a file. The line is the line of the row that was
// being read.
func unreadable(path string, line int, err error, wanted string) error {
	var kind *bounded.KindError
	var large *bounded.TooLargeError
	var damaged *bounded.DamagedError
	var corrupt flate.CorruptInputError
	var system *fs.PathError
	switch {
	case errors.As(err, &kind):
		return &Error{Path: path, Found: kind.Kind(), Wanted: kind.Wanted()}
	case errors.As(err, &large):
		return &Error{Path: path, Line: line, Found: large.Found(), Wanted: large.Wanted(),
			Err: errors.Join(err, dyngraph.ErrInvalid)}
	case errors.As(err, &damaged), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zip.ErrChecksum),
		errors.As(err, &corrupt): // the last ones of a zip
		if damaged == nil {
			damaged = &bounded.DamagedError{Err: err}
		}
		return &Error{Path: path, Line: line, Found: damaged.Found(), Wanted: "a whole file: fetch it again"}
	case errors.As(err, &system):
		return &Error{Path: path, Line: line, Found: system.Err.Error(), Wanted: wanted, Err: err}
	}
	return &Error{Path: path, Line: line, Found: err.Error(), Wanted: wanted, Err: err}
}

func invalid(format string, args ...any) error {
	return errs.New(dyngraph.ErrInvalid, "datasets/tgb: %s", fmt.Sprintf(format, args...))
}
