package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
	f, err := bounded.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unpacked(f, checkSeal); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return unpacked(f, func(content *bufio.Reader) error { return eachRecord(content, each) })
}

// unpacked calls read with the decompressed content of an archive.
func unpacked(f *os.File, read func(*bufio.Reader) error) error {
	content, err := bounded.NewReader(f, bounded.Zstd, bounded.Limit{Default: archiveLimit})
	if err != nil {
		return err
	}
	defer content.Close()
	err = read(bufio.NewReaderSize(content, 1<<16))
	var damaged *bounded.DamagedError
	if errors.As(err, &damaged) {
		return fmt.Errorf("it is cut off, altered or no archive: %w", damaged.Err)
	}
	return err
}

// checkSeal is unseal for content that does not fit in memory.
func checkSeal(content *bufio.Reader) error {
	want, err := cutSeal(content)
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write([]byte("{"))
	if _, err := io.Copy(sum, content); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return errAltered
	}
	return nil
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

// eachRecord calls each for the records of sealed content.
func eachRecord(content *bufio.Reader, each func(study, name string, record []byte) error) error {
	if _, err := cutSeal(content); err != nil {
		return err
	}
	longest, err := bounded.Limit{Default: recordLimit}.Resolve()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(io.MultiReader(bytes.NewReader([]byte("{")), content))
	lines.Buffer(nil, int(longest))
	next := func(what string) error {
		switch {
		case lines.Scan():
			return nil
		case errors.Is(lines.Err(), bufio.ErrTooLong):
			return fmt.Errorf("its %s: %w", what, &bounded.TooLargeError{Limit: longest})
		case lines.Err() != nil:
			return lines.Err()
		}
		return fmt.Errorf("it ends before its %s", what)
	}
	if err := next("first line"); err != nil {
		return err
	}
	var head archiveHead
	if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
		return fmt.Errorf("its first line is not an archive's: %w", err)
	}
	if !durable.IsName(head.Study) {
		return nameError(head.Study)
	}
	for _, name := range head.Names {
		if err := next(fmt.Sprintf("run %.60q", name)); err != nil {
			return err
		}
		if err := each(head.Study, name, lines.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// nameError returns an error about the name of a study in a file.
func nameError(study string) error {
	return fmt.Errorf("%w: it is of the study %.60q, want a name that is one part of a path, without separators",
		fs.ErrInvalid, study)
}
