package pgt

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the shipped files
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrCorrupt is wrapped by errors about shipped data that differ from the published module's.
var ErrCorrupt = errors.New("shipped data are damaged")

// shippedFile is a file of the module, with the sha256 of its uncompressed content.
type shippedFile struct {
	content []byte
	sha256  string
}

//go:embed england_covid.json.gz
var englandContent []byte

// The published file has neither names nor dates; a separate file has the names of its regions and the dates of its
// days.
//
//go:embed england_names.json
var englandNamesContent []byte

//go:embed italy_covid.json.gz
var italyContent []byte

//go:embed france_covid.json.gz
var franceContent []byte

var (
	england      = shippedFile{englandContent, "497056cc4585b58951fd5cd17554fe0c535f68ea0c907a5b5727ae30e3913450"}
	englandNames = shippedFile{englandNamesContent, "5677aa93e9c545026d489c032a32b0eef71d85ffacc7d92f2f944b5536490000"}
	italy        = shippedFile{italyContent, "ebe54f2e9aa9f0bd74eeb3bc6022e66a5a2acd73c061ca06a203e351fb370a9e"}
	france       = shippedFile{franceContent, "f3838d88a6751eeb35da64e1405b411370a02ac1fa7f9aeef2f38e7bed52595e"}
)

// EnglandCovid returns the shipped series: 53 snapshots of 129 nodes (61 days less 8 lags), 8 features and 1 target a
// node, 2346 directed edges on the union of days. Weights are numbers of people who moved: up to 9159 between regions
// and up to 965153 within one (self-loops), so a model needs them normalised.
func EnglandCovid(options ...Option) (*dyngraph.Series, error) {
	return covid("england_covid", options, england, englandNames)
}

// ItalyCovid returns the shipped series: 71 snapshots of 105 nodes (79 days less 8 lags), otherwise as [EnglandCovid].
func ItalyCovid(options ...Option) (*dyngraph.Series, error) {
	return covid("italy_covid", options, italy)
}

// FranceCovid returns the shipped series: 56 snapshots of 94 nodes (64 days less 8 lags), otherwise as [EnglandCovid].
// 13 of the nodes have no edge on any day, not even to themselves.
func FranceCovid(options ...Option) (*dyngraph.Series, error) {
	return covid("france_covid", options, france)
}

// covid joins the keys of shipped files.
func covid(name string, options []Option, files ...shippedFile) (*dyngraph.Series, error) {
	c, err := newConfig(name, options)
	if err != nil {
		return nil, err
	}
	var f file
	for _, part := range files {
		content, err := part.open()
		if err != nil {
			return nil, err
		}
		if err := c.unmarshal(content, &f); err != nil {
			return nil, err
		}
	}
	return c.series(&f)
}

// open decompresses the file and compares its sha256.
func (f shippedFile) open() ([]byte, error) {
	content, err := config{maxBytes: defaultMaxBytes}.plain(bytes.NewReader(f.content))
	if err != nil {
		return nil, fmt.Errorf("%w: %w: build from a fresh copy of the module", err, ErrCorrupt)
	}
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != f.sha256 {
		return nil, errs.New(ErrCorrupt, "datasets/pgt: shipped file has sha256 %s, want %s: build from a fresh copy of "+
			"the module", got, f.sha256)
	}
	return content, nil
}
