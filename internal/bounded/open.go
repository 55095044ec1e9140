// Package bounded reads untrusted files in bounded memory and without blocking: only regular files, and at most a given
// number of bytes, counted after unpacking.
package bounded

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// KindError reports a path that is not a regular file. It wraps [fs.ErrInvalid].
type KindError struct {
	Path string
	Mode fs.FileMode
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s is %s, want %s", e.Path, e.Kind(), e.Wanted())
}

// Unwrap is [fs.ErrInvalid].
func (e *KindError) Unwrap() error { return fs.ErrInvalid }

// Kind is "a directory", "a named pipe (FIFO)" and the like.
func (e *KindError) Kind() string {
	switch {
	case e.Mode.IsDir():
		return "a directory"
	case e.Mode&fs.ModeNamedPipe != 0:
		return "a named pipe (FIFO)"
	case e.Mode&fs.ModeSocket != 0:
		return "a socket"
	case e.Mode&fs.ModeDevice != 0:
		return "a device"
	}
	return fmt.Sprintf("a file of mode %v", e.Mode)
}

// Wanted says which file to use instead.
func (e *KindError) Wanted() string {
	if e.Mode.IsDir() {
		return "a file"
	}
	return "a regular file: write its content to one first"
}

// Open opens a regular file for reading. Other files give a [*KindError], at once even for a pipe without a writer.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // to open a device may do something
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &KindError{path, info.Mode()}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // it was replaced meanwhile
		err = &KindError{path, info.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
