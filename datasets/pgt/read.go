package pgt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Load reads a JSON file in the format of england_covid.json, plain or compressed by gzip; see [Read].
func Load(path string, options ...Option) (*dyngraph.Series, error) {
	f, err := bounded.Open(path)
	if _, ok := errors.AsType[*bounded.KindError](err); ok {
		return nil, errs.New(dyngraph.ErrInvalid, "datasets/pgt: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("datasets/pgt: %w", err)
	}
	defer f.Close()
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".json")
	return Read(f, append([]Option{Name(name)}, options...)...)
}

// Read reads JSON, plain or compressed by gzip, of the form
//
//	{"edge_mapping": {"edge_index": {"0": [[from, to], ...], "1": ...}, "edge_weight": {"0": [w, ...], "1": ...}},
//	 "time_periods": days, "y": [[cases of each node], ... one row for each day],
//	 "names": [name of each node], "dates": ["2020-02-24", ... one for each day]}
//
// names and dates may be absent. Names, in the order of y, are neither empty nor repeated, and become Series.NodeNames.
// Dates are of days that follow each other, since lags count days; the date of day i becomes Series.Dates of snapshot
// i, whose target is Lag days later. Weights of an edge that a day lists more than once are summed. Negative weights
// are an error (they count people), negative cases (corrections) are not. Errors about the content wrap
// [dyngraph.ErrInvalid], and [dyngraph.ErrTooLarge] if it has more bytes than [MaxBytes] allows.
func Read(r io.Reader, options ...Option) (*dyngraph.Series, error) {
	c, err := newConfig("pgt", options)
	if err != nil {
		return nil, err
	}
	content, err := c.plain(r)
	if err != nil {
		return nil, err
	}
	var f file
	if err := c.unmarshal(content, &f); err != nil {
		return nil, err
	}
	return c.series(&f)
}

// defaultMaxBytes is MaxBytes by default; the longest file that is shipped has 2 MB.
const defaultMaxBytes = 32 << 20

// plain reads all of r and decompresses it if it is compressed.
func (c config) plain(r io.Reader) ([]byte, error) {
	content, err := bounded.ReadAll(r, bounded.Detect, bounded.Limit{Bytes: c.maxBytes, Default: defaultMaxBytes,
		Option: "pgt.MaxBytes"})
	var large *bounded.TooLargeError
	var damaged *bounded.DamagedError
	switch {
	case errors.As(err, &large):
		return nil, errs.New(dyngraph.ErrInvalid, "datasets/pgt: %s: %w", c.name, err)
	case errors.As(err, &damaged):
		return nil, errs.New(dyngraph.ErrInvalid, "datasets/pgt: compressed file is cut short or damaged, fetch it "+
			"again: %w", damaged.Err)
	case err != nil:
		return nil, fmt.Errorf("datasets/pgt: %w", err)
	}
	return content, nil
}

// file is the JSON as it stands; pointers tell null from 0.
type file struct {
	Edges struct {
		Index  map[string][][]*int   `json:"edge_index"`
		Weight map[string][]*float64 `json:"edge_weight"`
	} `json:"edge_mapping"`
	Periods int          `json:"time_periods"`
	Cases   [][]*float64 `json:"y"`
	Names   []*string    `json:"names"`
	Dates   []*string    `json:"dates"`
}

func (c config) unmarshal(content []byte, into any) error {
	err := json.Unmarshal(content, into)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := int(syntax.Offset)
		before := content[max(0, at-20):at]
		return c.invalid("not JSON at byte %d of %d, after %q: the file is cut short, or holds NaN or Infinity (fill "+
			"those first): %v", at, len(content), before, err)
	}
	if err != nil {
		return c.invalid("%v", err)
	}
	return nil
}
