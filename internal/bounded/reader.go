package bounded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Packing is the compression of content.
type Packing uint8

const (
	// Detect detects gzip, Zstandard or plain content by its first bytes.
	Detect Packing = iota
	Plain
	Gzip
	Zstd
)

// zstdWindow is the largest memory that a Zstandard frame may request, as in the zstd command.
const zstdWindow = 128 << 20

// DamagedError reports compressed content that cannot be unpacked.
type DamagedError struct{ Err error }

// Found is "compressed data that are damaged or end early (unexpected EOF)".
func (e *DamagedError) Found() string {
	return fmt.Sprintf("compressed data that are damaged or end early (%v)", e.Err)
}

func (e *DamagedError) Error() string { return e.Found() }

// Unwrap returns the decompressor's error.
func (e *DamagedError) Unwrap() error { return e.Err }

// Reader reads unpacked content. It returns a [*TooLargeError] if content goes on after the limit, a [*DamagedError],
// or the error of reading the packed content.
type Reader struct {
	r      io.Reader
	packed bool
	close  func()
	budget *Budget
}

// NewReader returns a reader that unpacks r. Close frees its memory, and leaves r open.
func NewReader(r io.Reader, how Packing, limit Limit) (*Reader, error) {
	budget, err := limit.Budget()
	if err != nil {
		return nil, err
	}
	if how == Detect {
		buffered := bufio.NewReader(r)
		r, how = buffered, Plain
		switch head, _ := buffered.Peek(4); { // an error comes again when it is read
		case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b:
			how = Gzip
		case string(head) == "\x28\xb5\x2f\xfd":
			how = Zstd
		}
	}
	u := &Reader{r: r, packed: how != Plain, close: func() {}, budget: budget}
	switch how {
	case Gzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, unpacking(err)
		}
		u.r, u.close = z, func() { z.Close() }
	case Zstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, unpacking(err)
		}
		u.r, u.close = z, z.Close
	}
	return u, nil
}

// unpacking tells damaged data from what the system says of reading them.
func unpacking(err error) error {
	var system *fs.PathError
	switch {
	case errors.As(err, &system):
		return err
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return &DamagedError{err}
}

// Read reads unpacked content.
func (u *Reader) Read(into []byte) (int, error) {
	left := u.budget.left
	if int64(len(into)) > left+1 {
		into = into[:left+1] // one more than is left, to see whether more follows
	}
	n, err := u.r.Read(into)
	if err := u.budget.Take(int64(n)); err != nil {
		return int(left), err
	}
	if err != nil && err != io.EOF && u.packed {
		err = unpacking(err)
	}
	return n, err
}

// Close frees the memory for unpacking.
func (u *Reader) Close() { u.close() }

// ReadAll returns the unpacked content of r.
func ReadAll(r io.Reader, how Packing, limit Limit) ([]byte, error) {
	u, err := NewReader(r, how, limit)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	return io.ReadAll(u)
}

// ReadFile returns the content of a regular file without unpacking it.
func ReadFile(path string, limit Limit) ([]byte, error) {
	bytesAllowed, err := limit.Resolve()
	if err != nil {
		return nil, err
	}
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > bytesAllowed {
		return nil, fmt.Errorf("%s: %w", path, limit.exceeded(bytesAllowed))
	}
	content := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := content.ReadFrom(io.LimitReader(f, bytesAllowed+1)); err != nil {
		return nil, err
	}
	if int64(content.Len()) > bytesAllowed { // it grew meanwhile
		return nil, fmt.Errorf("%s: %w", path, limit.exceeded(bytesAllowed))
	}
	return content.Bytes(), nil
}
