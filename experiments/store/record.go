package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Record is one stored run: its facts, or the error that prevented it.
type Record struct {
	Study string `json:"Study"`
	// Identity contains everything else that decides the outcome, in canonical form. The file name consists of its
	// hash, the generation of the numerics and the kind of backend.
	Identity   json.RawMessage `json:"Identity"`
	Generation int             `json:"Generation"`
	Backend    string          `json:"Backend"`
	// Facts is nil if there is an Error.
	Facts *Facts `json:"Facts,omitempty"`
	// Error says why the run could not be made, for a reason other than divergence.
	Error string `json:"Error,omitempty"`
	// Seconds is the time from the run's start to its end, including the time before interruptions and pauses of the
	// process. Ended is when it was done.
	Seconds float64   `json:"Seconds"`
	Ended   time.Time `json:"Ended"`
	// Machine and Versions describe what computed it.
	Machine  Machine           `json:"Machine"`
	Versions map[string]string `json:"Versions"`
}

// Cost returns the seconds of the run's training, see [Training.Seconds], or all its seconds without one.
func (r *Record) Cost() float64 {
	if r.Facts == nil || r.Facts.Training == nil {
		return r.Seconds
	}
	return r.Facts.Training.Seconds()
}

// Machine describes the machine that made a run.
type Machine struct {
	System  string `json:"System"`
	Backend string `json:"Backend"`
	CPUs    int    `json:"CPUs"`
}

// String returns a description for people; "" for the zero value.
func (m Machine) String() string {
	if m.System == "" {
		return ""
	}
	cores := "CPUs"
	if m.CPUs == 1 {
		cores = "CPU"
	}
	return fmt.Sprintf("%s with %d %s (%s)", m.System, m.CPUs, cores, m.Backend)
}

// A record's file is its JSON, with the SHA-256 of that JSON without white space as the first entry.
const checksumBegin, checksumEnd = `{"Checksum":"`, `",`

// seal adds a checksum as the first entry of content, which is a JSON object and whatever follows it.
func seal(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append([]byte(checksumBegin+hex.EncodeToString(sum[:])+checksumEnd), content[1:]...)
}

// The errors of a broken seal.
var (
	errUnsealed = errors.New("it does not begin with a checksum")
	errAltered  = errors.New("its checksum does not fit its content, which was altered")
)

// unseal checks the checksum that seal added, and returns the content.
func unseal(sealed []byte) ([]byte, error) {
	rest, err := checked(sealed)
	if err != nil {
		return nil, err
	}
	return append([]byte("{"), rest...), nil
}

// checked is unseal without the first brace, and without a copy.
func checked(sealed []byte) ([]byte, error) {
	rest, found := bytes.CutPrefix(sealed, []byte(checksumBegin))
	want, rest, also := bytes.Cut(rest, []byte(checksumEnd))
	if !found || !also {
		return nil, errUnsealed
	}
	sum := sha256.New()
	sum.Write([]byte("{"))
	sum.Write(rest)
	if hex.EncodeToString(sum.Sum(nil)) != string(want) {
		return nil, errAltered
	}
	return rest, nil
}

// Name returns the name of the record's file, without extension: a hash of the identity, the generation, the kind of
// backend.
func (r *Record) Name() string {
	return fmt.Sprintf("%s-g%d-%s", hash(r.Identity), r.Generation, fileName(r.Backend))
}

// Encode returns the content of the record's file.
func (r *Record) Encode() ([]byte, error) {
	content, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return seal(content), nil
}

// DecodeRecord reads the content of a record's file. It ignores white space, which a person or a program may have
// added; any other change is an error.
func DecodeRecord(file []byte) (*Record, error) {
	content, err := unseal(bytes.TrimSpace(file))
	if err != nil { // or with white space
		var compact bytes.Buffer
		if err := json.Compact(&compact, file); err != nil {
			return nil, err
		}
		if content, err = unseal(compact.Bytes()); err != nil {
			return nil, err
		}
	}
	var r Record
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, err
	}
	if r.Study == "" {
		return nil, errors.New("it is of a format that is no longer read: remove it")
	}
	if r.Facts == nil && r.Error == "" {
		return nil, errors.New("it holds no facts")
	}
	return &r, nil
}
