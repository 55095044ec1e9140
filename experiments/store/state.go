package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

// State is the state of a planned run.
type State int

const (
	// Missing means that nothing is stored, Made that facts are, Failed that the error is stored that prevented the run,
	// and Stale that only a record of another generation is stored.
	Missing State = iota
	Made
	Failed
	Stale
)

// State returns the state of the record that [Slot.FindIn] would find. It decodes no facts, so it takes a tenth of the
// time.
func (s Slot) State(names Names) (state State, err error) {
	if len(names[s.Hash()]) == 0 {
		return Missing, nil
	}
	if state, err = s.state(); err != nil || state != Missing {
		return state, err
	}
	stale := false
	for _, other := range s.others(names) {
		if other.generation != s.generation {
			stale = true
			continue
		}
		found, err := other.state()
		if err != nil {
			return Missing, err
		}
		if found == Made || found == Failed && state == Missing {
			state = found
		}
	}
	if stale && state == Missing {
		state = Stale
	}
	return state, nil
}

// state returns the state of the record that [Slot.Read] would read.
func (s Slot) state() (state State, err error) {
	for i, each := range s.everywhere() {
		found, err := s.In(each).ownState()
		if err != nil || found == Made {
			return found, err
		}
		if i == 0 {
			state = found
		}
	}
	return state, nil
}

// ownState is state without other studies.
func (s Slot) ownState() (State, error) {
	if _, shipped := s.shipped[s.name]; shipped {
		return Made, nil
	}
	switch content, err := readRecord(s.file()); {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, nil
	case err != nil:
		return Missing, unreadable(err)
	case s.holdsFacts(content):
		return Made, nil
	}
	r, err := s.own() // with an error, or written differently
	if err == nil && r != nil && r.Facts != nil {
		return Made, nil
	}
	return Failed, nil
}

// holdsFacts reports whether the content of a record's file is sealed, of this run, and with facts. It compares the
// first entries as [Record.Encode] writes them; false may also mean that they were written differently.
func (s Slot) holdsFacts(sealed []byte) bool {
	content, err := checked(bytes.TrimSpace(sealed))
	if err != nil {
		return false
	}
	rest, study := bytes.CutPrefix(content, fmt.Appendf(nil, `"Study":%q,"Identity":`, s.study))
	rest, identity := bytes.CutPrefix(rest, s.identity)
	rest, generation := bytes.CutPrefix(rest, fmt.Appendf(nil, `,"Generation":%d,"Backend":"`, s.generation))
	backend, rest, named := bytes.Cut(rest, []byte(`",`))
	return study && identity && generation && named && fileName(string(backend)) == fileName(s.backend) &&
		bytes.HasPrefix(rest, []byte(`"Facts":{`))
}
