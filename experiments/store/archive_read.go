package store

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
)

const (
	// archiveLimit is the largest size in bytes of a decompressed archive, unless the environment sets another limit.
	archiveLimit = 1 << 30
	// recordLimit is the same limit for a record, and for the head of an archive.
	recordLimit = 64 << 20
)

// readRecord returns the content of a record's file.
func readRecord(path string) ([]byte, error) {
	return bounded.ReadFile(path, bounded.Limit{Default: recordLimit})
}

// readArchive checks all records of an archive, then calls each with every record, in the form of its own file. It
// holds only one record in memory.
func readArchive(path string, each func(study, name string, record []byte) error) error {
	if err := unpacked(path, sealed(func(io.Reader) error { return nil })); err != nil {
		return err
	}
	return unpacked(path, sealed(func(content io.Reader) error { return eachRecord(content, each) }))
}

// readRecords returns the records of an archive by name. It reads the archive once, and holds all in memory.
func readRecords(path, study string) (map[string][]byte, error) {
	records := make(map[string][]byte)
	return records, unpacked(path, sealed(func(content io.Reader) error {
		return eachRecord(content, func(of, name string, record []byte) error {
			records[name] = bytes.Clone(record)
			return ofStudy(of, study)
		})
	}))
}

// readNames is readRecords without the records and without a look at them.
func readNames(path, study string) (map[string][]byte, error) {
	records := make(map[string][]byte)
	return records, unpacked(path, func(content io.Reader) error {
		if _, err := cutSeal(content); err != nil {
			return err
		}
		_, head, err := openArchive(content)
		for _, name := range head.Names {
			records[name] = nil
		}
		return cmp.Or(err, ofStudy(head.Study, study))
	})
}

func ofStudy(got, want string) error {
	if got != want {
		return fmt.Errorf("it is of study %s", got)
	}
	return nil
}

// unpacked calls read with the decompressed content of an archive.
func unpacked(path string, read func(io.Reader) error) error {
	f, err := bounded.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	content, err := bounded.NewReader(f, bounded.Zstd, bounded.Limit{Default: archiveLimit})
	if err != nil {
		return err
	}
	defer content.Close()
	err = read(bufio.NewReaderSize(content, 1<<16))
	if damaged, ok := errors.AsType[*bounded.DamagedError](err); ok {
		return fmt.Errorf("it is cut off, altered or no archive: %w", damaged.Err)
	}
	return err
}

// sealed is unseal for content that does not fit in memory: read gets the content from the first entry after the
// checksum, which is compared afterwards.
func sealed(read func(io.Reader) error) func(io.Reader) error {
	return func(content io.Reader) error {
		want, err := cutSeal(content)
		if err != nil {
			return err
		}
		sum := sha256.New()
		sum.Write([]byte("{"))
		content = io.TeeReader(content, sum)
		if err := read(content); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return err
		}
		if hex.EncodeToString(sum.Sum(nil)) != want {
			return errAltered
		}
		return nil
	}
}

// cutSeal reads up to the first entry after the checksum, and returns the checksum.
func cutSeal(content io.Reader) (string, error) {
	head := make([]byte, len(checksumBegin)+hex.EncodedLen(sha256.Size)+len(checksumEnd))
	_, err := io.ReadFull(content, head)
	sum, found := bytes.CutPrefix(head, []byte(checksumBegin))
	sum, also := bytes.CutSuffix(sum, []byte(checksumEnd))
	switch {
	case err == nil && found && also:
		return string(sum), nil
	case err == nil || err == io.EOF || err == io.ErrUnexpectedEOF:
		return "", errUnsealed
	}
	return "", err
}

// eachRecord calls each for the records of content that follows a checksum.
func eachRecord(content io.Reader, each func(study, name string, record []byte) error) error {
	lines, head, err := openArchive(content)
	if err != nil {
		return err
	}
	for _, name := range head.Names {
		line, err := lines.next(fmt.Sprintf("run %.60q", name))
		if err != nil {
			return err
		}
		if err := each(head.Study, name, line); err != nil {
			return err
		}
	}
	return nil
}

// lines reads the lines of an archive.
type lines struct {
	*bufio.Scanner
	longest int64
}

// openArchive reads the head of content that follows a checksum. The lines of the records come next.
func openArchive(content io.Reader) (l lines, head archiveHead, err error) {
	if l.longest, err = (bounded.Limit{Default: recordLimit}).Resolve(); err != nil {
		return l, head, err
	}
	l.Scanner = bufio.NewScanner(io.MultiReader(bytes.NewReader([]byte("{")), content))
	l.Buffer(nil, int(l.longest))
	first, err := l.next("first line")
	if err != nil {
		return l, head, err
	}
	if err := json.Unmarshal(first, &head); err != nil {
		return l, head, fmt.Errorf("its first line is not an archive's: %w", err)
	}
	if !durable.IsName(head.Study) {
		return l, head, nameError(head.Study)
	}
	return l, head, nil
}

// next returns the next line; what names it in errors.
func (l lines) next(what string) ([]byte, error) {
	switch {
	case l.Scan():
		return l.Bytes(), nil
	case errors.Is(l.Err(), bufio.ErrTooLong):
		return nil, fmt.Errorf("its %s: %w", what, &bounded.TooLargeError{Limit: l.longest})
	case l.Err() != nil:
		return nil, l.Err()
	}
	return nil, fmt.Errorf("it ends before its %s", what)
}

// nameError returns an error about the name of a study in a file.
func nameError(study string) error {
	return fmt.Errorf("%w: it is of the study %.60q, want a name that is one part of a path, without separators",
		fs.ErrInvalid, study)
}
