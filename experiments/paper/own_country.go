package paper

import (
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ownCountry reads a file of one's own in the format of england_covid.json.
func ownCountry(path string) (*dyngraph.Series, error) {
	series, err := pgt.Load(path)
	if err != nil {
		return nil, errs.In("experiments: data "+path, err, experiments.ErrInput)
	}
	return series, nil
}

// countryOf is the name of a file's country, the value of the key "country": "spain" of data/spain_covid.json.gz.
func countryOf(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".json", "_covid"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}
