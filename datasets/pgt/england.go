package pgt

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the shipped file
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrCorrupt is wrapped when shipped data are not what they were when the module was published.
var ErrCorrupt = errors.New("shipped data are damaged")

//go:embed england_covid.json.gz
var englandCovid []byte

// englandCovidSHA256 is that of the uncompressed file.
const englandCovidSHA256 = "497056cc4585b58951fd5cd17554fe0c535f68ea0c907a5b5727ae30e3913450"

// EnglandCovid returns the shipped series: 53 snapshots of 129 nodes (61 days less 8 lags), 8 features and 1 target a
// node, 2346 directed edges on the union of days. Weights are numbers of people who moved: up to 9159 between regions
// and up to 965153 within one (self-loops), so a model wants them normalised.
func EnglandCovid(options ...Option) (*dyngraph.Series, error) {
	c, err := newConfig("england_covid", options)
	if err != nil {
		return nil, err
	}
	content, err := shipped(englandCovid, englandCovidSHA256)
	if err != nil {
		return nil, err
	}
	return c.parse(content)
}

// shipped decompresses a shipped file and compares its sha256.
func shipped(compressed []byte, want string) ([]byte, error) {
	content, err := plain(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w: build from a fresh copy of the module", err, ErrCorrupt)
	}
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != want {
		return nil, errs.New(ErrCorrupt, "datasets/pgt: shipped file has sha256 %s, want %s: build from a fresh copy of "+
			"the module", got, want)
	}
	return content, nil
}
